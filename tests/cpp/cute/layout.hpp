// A stand-in for the part of CuTe that the emitted text names: the same names, types and offsets.
#pragma once
#include <cstdint>
#include <type_traits>

namespace cute {

template <auto v>
struct C {
    static constexpr auto value = v;
    constexpr operator decltype(v)() const { return v; }
};
template <int v>
using Int = C<v>;
using _m32 = Int<-32>;
using _m24 = Int<-24>;
using _m16 = Int<-16>;
using _m12 = Int<-12>;
using _m10 = Int<-10>;
using _m9 = Int<-9>;
using _m8 = Int<-8>;
using _m7 = Int<-7>;
using _m6 = Int<-6>;
using _m5 = Int<-5>;
using _m4 = Int<-4>;
using _m3 = Int<-3>;
using _m2 = Int<-2>;
using _m1 = Int<-1>;
using _0 = Int<0>;
using _1 = Int<1>;
using _2 = Int<2>;
using _3 = Int<3>;
using _4 = Int<4>;
using _5 = Int<5>;
using _6 = Int<6>;
using _7 = Int<7>;
using _8 = Int<8>;
using _9 = Int<9>;
using _10 = Int<10>;
using _12 = Int<12>;
using _16 = Int<16>;
using _24 = Int<24>;
using _32 = Int<32>;
using _40 = Int<40>;
using _48 = Int<48>;
using _56 = Int<56>;
using _64 = Int<64>;
using _72 = Int<72>;
using _80 = Int<80>;
using _88 = Int<88>;
using _96 = Int<96>;
using _104 = Int<104>;
using _112 = Int<112>;
using _120 = Int<120>;
using _128 = Int<128>;
using _136 = Int<136>;
using _144 = Int<144>;
using _152 = Int<152>;
using _160 = Int<160>;
using _168 = Int<168>;
using _176 = Int<176>;
using _184 = Int<184>;
using _192 = Int<192>;
using _200 = Int<200>;
using _208 = Int<208>;
using _216 = Int<216>;
using _224 = Int<224>;
using _232 = Int<232>;
using _240 = Int<240>;
using _248 = Int<248>;
using _256 = Int<256>;
using _384 = Int<384>;
using _512 = Int<512>;
using _768 = Int<768>;
using _1024 = Int<1024>;
using _2048 = Int<2048>;
using _4096 = Int<4096>;
using _8192 = Int<8192>;
using _16384 = Int<16384>;
using _32768 = Int<32768>;
using _65536 = Int<65536>;
using _131072 = Int<131072>;
using _262144 = Int<262144>;
using _524288 = Int<524288>;

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
constexpr tuple<T...> make_tuple(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> make_shape(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> make_stride(T const&... t) { return {t...}; }
template <class... T>
constexpr tuple<T...> make_coord(T const&... t) { return {t...}; }

template <class... T>
constexpr tuple<T...> make_tile(T const&... t) { return {t...}; }

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
constexpr auto crd2idx(Crd const& crd, Shp const& shape, Std const& stride)
{
    if constexpr (!is_tuple<Shp>::value) {
        return crd * stride;
    } else if constexpr (is_tuple<Crd>::value) {
        if constexpr (std::is_same_v<Shp, tuple<>>) {
            return Int<0>{};
        } else {
            return crd2idx(crd.first, shape.first, stride.first) + crd2idx(crd.rest, shape.rest, stride.rest);
        }
    } else if constexpr (std::is_same_v<decltype(shape.rest), tuple<>>) {
        return crd2idx(crd, shape.first, stride.first); // the last mode extends
    } else {
        auto const size = product(shape.first);
        return crd2idx(crd % size, shape.first, stride.first) + crd2idx(crd / size, shape.rest, stride.rest);
    }
}

template <class Shp, class Std>
struct Layout {
    Shp shape_;
    Std stride_;
    constexpr Layout(Shp const& shape, Std const& stride) : shape_(shape), stride_(stride) {}
    constexpr Shp const& shape() const { return shape_; }
    constexpr Std const& stride() const { return stride_; }
    template <class Crd>
    constexpr auto operator()(Crd const& crd) const { return crd2idx(crd, shape_, stride_); }
};

template <class Shp, class Std>
constexpr Layout<Shp, Std> make_layout(Shp const& shape, Std const& stride) { return {shape, stride}; }

template <int Bits, int Base, int Shift>
struct Swizzle {
    template <class T>
    constexpr auto operator()(T const& offset) const
    {
        int64_t const x = offset;
        int64_t const from = (x >> (Base + (Shift > 0 ? Shift : 0))) & ((int64_t{1} << Bits) - 1);
        return x ^ (from << (Base + (Shift < 0 ? -Shift : 0)));
    }
};

template <class Outer, class Offset, class Inner>
struct ComposedLayout {
    Outer outer;
    Offset offset;
    Inner inner;
    template <class Crd>
    constexpr auto operator()(Crd const& crd) const { return outer(offset + inner(crd)); }
};

template <class Outer, class Offset, class Inner>
constexpr ComposedLayout<Outer, Offset, Inner> make_composed_layout(
    Outer const& outer, Offset const& offset, Inner const& inner)
{
    return {outer, offset, inner};
}

} // namespace cute
