// A stand-in for the part of CATLASS's tla that the emitted text names: the same names, types and offsets.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tla {

template <auto v>
struct C {
    static constexpr auto value = v;
    constexpr operator decltype(v)() const { return v; }
};
template <int v>
using Int = C<v>;
using _0 = Int<0>;
using _64 = Int<64>;
using _128 = Int<128>;
using _256 = Int<256>;
using _512 = Int<512>;

struct Underscore {};
constexpr Underscore _{};

template <auto a, auto b>
constexpr C<a + b> operator+(C<a>, C<b>) { return {}; }
template <auto a, auto b>
constexpr C<a * b> operator*(C<a>, C<b>) { return {}; }

template <class... T>
struct tuple;
template <>
struct tuple<> {};
template <class First, class... Rest>
struct tuple<First, Rest...> {
    First first;
    tuple<Rest...> rest;
    constexpr tuple(First const& f, Rest const&... r) : first(f), rest{r...} {}
};

template <class... T>
using Shape = tuple<T...>;
template <class... T>
using Stride = tuple<T...>;
template <class... T>
using Coord = tuple<T...>;

template <class... T>
constexpr tuple<T...> MakeTuple(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> MakeShape(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> MakeStride(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> MakeCoord(T const&... t) { return {t...}; }

template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<tuple<T...>> : std::true_type {};

template <class T>
constexpr auto product(T const& x)
{
    if constexpr (!is_tuple<T>::value) {
        return x;
    } else if constexpr (std::is_same_v<T, tuple<>>) {
        return Int<1>{};
    } else if constexpr (std::is_same_v<decltype(x.rest), tuple<>>) {
        return product(x.first);
    } else {
        return product(x.first) * product(x.rest);
    }
}

template <class Crd, class Shp, class Std>
constexpr auto crd2offset(Crd const& crd, Shp const& shape, Std const& stride)
{
    if constexpr (!is_tuple<Shp>::value) {
        return crd * stride;
    } else if constexpr (is_tuple<Crd>::value) {
        if constexpr (std::is_same_v<Shp, tuple<>>) {
            return Int<0>{};
        } else {
            return crd2offset(crd.first, shape.first, stride.first) + crd2offset(crd.rest, shape.rest, stride.rest);
        }
    } else if constexpr (std::is_same_v<decltype(shape.rest), tuple<>>) {
        return crd2offset(crd, shape.first, stride.first); // the last mode extends
    } else {
        auto const size = product(shape.first);
        return crd2offset(crd % size, shape.first, stride.first) + crd2offset(crd / size, shape.rest, stride.rest);
    }
}

namespace detail {
template <class T>
struct Rank : std::integral_constant<int, 1> {};
template <class... T>
struct Rank<tuple<T...>> : std::integral_constant<int, sizeof...(T)> {};
template <class Seq>
struct Sizes;
template <int... I>
struct Sizes<std::integer_sequence<int, I...>> {
    template <int>
    using Size = uint32_t;
    using type = tuple<Size<I>...>;
};
} // namespace detail

template <
    class Shp, class Std,
    class Origin = typename detail::Sizes<std::make_integer_sequence<int, detail::Rank<Std>::value>>::type>
struct Layout {
    Shp shape_;
    Std stride_;
    Origin origin_;
    constexpr Layout(Shp const& shape, Std const& stride, Origin const& origin)
        : shape_(shape), stride_(stride), origin_(origin) {}
    constexpr Shp const& shape() const { return shape_; }
    constexpr Std const& stride() const { return stride_; }
    constexpr Origin const& originShape() const { return origin_; }
    template <class Crd>
    constexpr auto operator()(Crd const& crd) const { return crd2offset(crd, shape_, stride_); }
};

template <class Shp, class Std, class Origin>
constexpr auto MakeLayout(Shp const& shape, Std const& stride, Origin const& origin)
{
    return Layout<Shp, Std, Origin>(shape, stride, origin);
}

namespace detail {
template <int I, class T>
constexpr auto const& get(T const& t)
{
    if constexpr (I == 0) {
        return t.first;
    } else {
        return get<I - 1>(t.rest);
    }
}
template <class Shp, int... I>
constexpr auto sizes(Shp const& shape, std::integer_sequence<int, I...>)
{
    return MakeShape(static_cast<uint32_t>(product(get<I>(shape)))...);
}
} // namespace detail

// The origin shape that is left out: the size of each mode, dynamic whatever the shape is.
template <class Shp, class Std>
constexpr auto MakeLayout(Shp const& shape, Std const& stride)
{
    if constexpr (is_tuple<Shp>::value) {
        return MakeLayout(
            shape, stride, detail::sizes(shape, std::make_integer_sequence<int, detail::Rank<Shp>::value>{}));
    } else {
        return MakeLayout(shape, stride, MakeShape(static_cast<uint32_t>(shape)));
    }
}

} // namespace tla
