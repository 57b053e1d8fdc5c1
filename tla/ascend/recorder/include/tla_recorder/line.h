// SPDX-License-Identifier: Apache-2.0
// Lines of the trace: a call with its operands and parameters as JSON, and the call stack that led to it.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tla_recorder {

// Name number `index` of a list such as "MTE1_M, M_MTE1".
inline std::string name_in(const char* names, size_t index) {
    for (; index; --index) {
        names = strchr(names, ',');
        if (!names) return "?";
        ++names;
    }
    names += strspn(names, " \n");
    return std::string(names, strcspn(names, ", \n"));
}

// An enumeration whose values stand in the trace by their names.
#define TLA_ENUM(KIND, TYPE, ...)                    \
    KIND TYPE { __VA_ARGS__ };                       \
    inline std::string name_of(TYPE value) {         \
        return tla_recorder::name_in(#__VA_ARGS__, size_t(value)); \
    }

template <class V, class = void> struct has_name : std::false_type {};
template <class V> struct has_name<V, std::void_t<decltype(name_of(std::declval<V>()))>> : std::true_type {};

inline std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

inline std::string json(float value) {
    if (value != value) return "\"nan\"";
    if (value - value != 0) return value > 0 ? "\"inf\"" : "\"-inf\"";
    char text[32];
    snprintf(text, sizeof text, "%.9g", double(value));
    return text;
}

template <class V> std::string json(const V& value) {
    if constexpr (std::is_same_v<V, bool>) return value ? "true" : "false";
    else if constexpr (std::is_array_v<V>) {
        std::string out;
        for (auto& one : value) out += (out.empty() ? "" : ", ") + json(one);
        return "[" + out + "]";
    } else if constexpr (has_name<V>::value) return quoted(name_of(value));
    else if constexpr (std::is_enum_v<V>) return std::to_string((long long)value);
    else if constexpr (std::is_integral_v<V>) return std::to_string(value);
    else return json(float(value));
}

class Object {
    std::string text_;

public:
    Object& raw(const char* name, const std::string& value) {
        if (!text_.empty()) text_ += ", ";
        text_ += quoted(name) + ": " + value;
        return *this;
    }
    template <class V> Object& value(const char* name, const V& value) { return raw(name, json(value)); }
    Object& text(const char* name, const std::string& value) { return raw(name, quoted(value)); }
    // Several values at once; `names` has commas between their names.
    template <class... V> void list(const char* names, const V&... values) {
        size_t index = 0;
        (value(name_in(names, index++).c_str(), values), ...);
    }
    bool empty() const { return text_.empty(); }
    const std::string& inner() const { return text_; }
    std::string json_text() const { return "{" + text_ + "}"; }
};

// The fields of a parameter record that stand in the trace, by their names.
#define TLA_FIELDS(...) \
    void fields(tla_recorder::Object& out) const { out.list(#__VA_ARGS__, __VA_ARGS__); }

// The core that runs now.
struct Core {
    std::string name = "?";
    int block = 0, blocks = 1, sub = 0, subs = 1;
};
inline Core core;

inline FILE* trace = nullptr;
inline long long lines = 0, most_lines = 0;

// Call stacks by number. The walk follows frame pointers and ends at the launch of the kernel.
struct Frame {
    Frame* caller;
    uintptr_t from;
};
inline Frame* launch_frame = nullptr;
inline Frame* const first_frame = reinterpret_cast<Frame*>(environ);  // above the frames of the program
inline std::map<std::vector<uintptr_t>, size_t> stacks;

inline size_t stack_number(const std::vector<uintptr_t>& calls) {
    return stacks.emplace(calls, stacks.size()).first->second;
}

[[gnu::noinline]] inline std::vector<uintptr_t> calls_from(Frame* frame, Frame* end) {
    std::vector<uintptr_t> calls;
    for (Frame* last = nullptr; frame > last && frame < end && calls.size() < 64; frame = frame->caller) {
        calls.push_back(frame->from);
        last = frame;
    }
    return calls;
}

inline std::vector<uintptr_t> stopped_at;
void finish(const std::string& end);  // in launch.h

class Line {
    std::string op_, pipe_;
    Object operands_, params_;

public:
    Line(std::string op, std::string pipe) : op_(std::move(op)), pipe_(std::move(pipe)) {}
    Line(const Line&) = delete;
    template <class T> Line& operand(const char* name, const T& tensor) {
        operands_.raw(name, tensor.operand());
        return *this;
    }
    template <class V> Line& with(const char* name, const V& value) {
        params_.value(name, value);
        return *this;
    }
    Line& with(const char* name, const char* value) {
        params_.text(name, value);
        return *this;
    }
    Line& with(const char* name, const std::string& value) {
        params_.text(name, value);
        return *this;
    }
    template <class P> Line& with(const P& params) {
        params.fields(params_);
        return *this;
    }
    Line& raw(const char* name, const std::string& value) {
        params_.raw(name, value);
        return *this;
    }
    ~Line() {
        if (!trace) return;  // outside a kernel
        auto calls = calls_from(static_cast<Frame*>(__builtin_frame_address(0)), launch_frame);
        if (lines++ == most_lines) {
            stopped_at = calls;
            finish("limit");
        }
        Object line;
        line.text("core", core.name).text("op", op_).text("pipe", pipe_);
        std::string text = "{" + line.inner();
        if (!operands_.empty()) text += ", " + operands_.inner();
        if (!params_.empty()) text += ", \"params\": " + params_.json_text();
        fprintf(trace, "%s\t%zu\n", text.c_str(), stack_number(calls));
    }
};

}  // namespace tla_recorder
