// SPDX-License-Identifier: Apache-2.0
// A launch: the kernel runs once for each core, one core after the other, and what stops it is reported.
#pragma once
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include "tensors.h"

namespace tla_recorder {

inline std::string setting(const char* name, const char* otherwise) {
    const char* value = getenv(name);
    return value ? value : otherwise;
}

inline std::map<uintptr_t, int> divisions_by_zero;  // how often, by the address of the instruction
inline std::vector<std::string> missing_files;
inline int launches = 0;

// What the driver needs beside the lines. Called after each launch, and where a kernel is stopped.
inline void finish(const std::string& end) {
    fflush(nullptr);
    auto numbers = [](const auto& all) {
        std::string out;
        for (auto n : all) out += (out.empty() ? "" : ", ") + std::to_string(n);
        return "[" + out + "]";
    };
    std::string tensors, calls, zeros, missing;
    for (auto& one : allocations) {
        Object tensor;
        tensor.text("expression", one.expression).value("stack", one.stack).value("bytes", one.bytes);
        tensors += (tensors.empty() ? "" : ", ") + tensor.json_text();
    }
    std::vector<std::string> by_number(stacks.size() + 1);
    for (auto& [stack, number] : stacks) by_number[number] = numbers(stack);
    by_number.back() = numbers(stopped_at);
    for (auto& one : by_number) calls += (calls.empty() ? "" : ", ") + one;
    for (auto& [place, times] : divisions_by_zero) {
        zeros += (zeros.empty() ? "[" : ", [") + std::to_string(place) + ", " + std::to_string(times) + "]";
    }
    for (auto& one : missing_files) missing += (missing.empty() ? "" : ", ") + quoted(one);
    Object out;
    out.text("end", end).text("core", core.name).value("launches", launches).value("blocks", core.blocks);
    out.raw("tensors", "[" + tensors + "]").raw("stacks", "[" + calls + "]").raw("divisions_by_zero", "[" + zeros + "]");
    out.raw("missing_files", "[" + missing + "]");
    FILE* file = fopen((setting("TLA_TRACE", "trace") + ".facts").c_str(), "w");
    if (file) {
        fprintf(file, "%s\n", out.json_text().c_str());
        fclose(file);
    }
    if (end != "ran") _exit(0);
}

// Where the program was when a signal came: the instruction, then its callers.
inline void note_place(void* context) {
    auto machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
    Frame* frame = nullptr;
    uintptr_t place = 0;
#if defined(__x86_64__)
    place = uintptr_t(machine->gregs[REG_RIP]) + 1;
    frame = reinterpret_cast<Frame*>(machine->gregs[REG_RBP]);
#elif defined(__aarch64__)
    place = machine->pc + 4;
    frame = reinterpret_cast<Frame*>(machine->regs[29]);
#endif
    stopped_at = calls_from(frame, launch_frame ? launch_frame : first_frame);
    stopped_at.insert(stopped_at.begin(), place);
}

inline bool runs = false;  // a kernel does

inline void on_time(int, siginfo_t*, void* context) {
    if (launches && !runs) _exit(0);  // what the host does after its last kernel does not matter
    note_place(context);
    finish("time");
}
inline void on_fault(int, siginfo_t*, void* context) {
    note_place(context);
    finish("fault");
}

// An NPU goes on after x % 0; so does an Arm core. On x86 the division is skipped here: its results are 0.
inline void on_division(int, siginfo_t*, void* context) {
    note_place(context);
#if defined(__x86_64__)
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    auto start = reinterpret_cast<const uint8_t*>(registers[REG_RIP]), code = start;
    while (*code == 0x66 || (*code & 0xf0) == 0x40) ++code;  // prefixes
    if ((*code & 0xfe) != 0xf6) finish("fault");          // neither div nor idiv
    uint8_t modes = code[1], mode = modes >> 6, base = modes & 7;
    code += 2;
    if (mode != 3) {
        bool has_sib = base == 4;
        if (has_sib) base = *code++ & 7;
        code += mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0;
    }
    ++divisions_by_zero[uintptr_t(start) + 1];
    registers[REG_RAX] = registers[REG_RDX] = 0;
    registers[REG_RIP] = greg_t(code);
#else
    finish("fault");
#endif
}

inline void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
    static char other_stack[1 << 16];  // the own one may be what ran out
    stack_t stack{};
    stack.ss_sp = other_stack;
    stack.ss_size = sizeof other_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
}

inline void start_timer() {
    itimerval timer{};
    timer.it_value.tv_sec = atol(setting("TLA_SECONDS", "60").c_str());
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

inline bool watch() {
    handle(SIGFPE, on_division);
    handle(SIGVTALRM, on_time);
    start_timer();
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT}) handle(signal, on_fault);
    return true;
}
inline const bool watches_host = watch();

template <class Call> [[gnu::noinline]] void run_on_cores(uint32_t blocks, const Call& call) {
    launch_frame = static_cast<Frame*>(__builtin_frame_address(0));
    if (!trace) trace = fopen(setting("TLA_TRACE", "trace").c_str(), "w");
    most_lines = atoll(setting("TLA_LINES", "1000000").c_str());
    watch();
    runs = true;

    core.blocks = int(blocks);
#ifdef TLA_RECORD_AIV
    const char* type = "AIV";
    core.subs = setting("TLA_KIND", "mix") == "vec" ? 1 : 2;
#else
    const char* type = "AIC";
    core.subs = 1;
#endif
    for (int index = 0; index < int(blocks) * core.subs; ++index) {
        core.block = index;
        core.sub = index % core.subs;
        core.name = type + std::to_string(index);
        call();
    }
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT}) ::signal(signal, SIG_DFL);  // what the host does then is its own
    runs = false;
    ++launches;
    finish("ran");
    start_timer();
}

// `kernel<<<blocks, ...>>>(arguments)` becomes `launch(kernel, blocks, ...)(arguments)`. A core has its own copies.
template <class Kernel> struct Launch {
    Kernel kernel;
    uint32_t blocks;
    template <class... A> void operator()(A... arguments) const {
        run_on_cores(blocks, [&] { kernel(arguments...); });
    }
};
template <class Kernel, class... Rest> Launch<Kernel> launch(Kernel kernel, uint32_t blocks, Rest...) {
    return {kernel, blocks};
}

}  // namespace tla_recorder

namespace AscendC {

inline int64_t GetBlockIdx() { return tla_recorder::core.block; }
inline int64_t GetBlockNum() { return tla_recorder::core.blocks; }
inline int64_t GetSubBlockIdx() { return tla_recorder::core.sub; }
inline int64_t GetSubBlockNum() { return tla_recorder::core.subs; }
inline int64_t GetTaskRation() { return tla_recorder::core.subs; }

}  // namespace AscendC
