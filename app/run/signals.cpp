#include "app/run/signals.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>

namespace mpcflow {

namespace {

// What terminals and batch systems send before they kill.
constexpr std::array<int, 6> handled{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_seconds{0};
std::array<struct sigaction, handled.size()> previous;

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

/// Only async-signal-safe calls here.
void note_signal(int signal_number) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    int none = 0;
    if (first_signal.compare_exchange_strong(none, signal_number)) {
        first_seconds = now.tv_sec;
    } else if (signal_number == SIGINT && now.tv_sec > first_seconds + 1) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
    }
}

}  // namespace

SignalGuard::SignalGuard() {
    first_signal = 0;
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    for (std::size_t i = 0; i < handled.size(); ++i) {
        sigaction(handled[i], nullptr, &previous[i]);
        if (previous[i].sa_handler == SIG_IGN) continue;
        struct sigaction action {};
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        action.sa_handler = note_signal;
        sigaction(handled[i], &action, nullptr);
    }
}

SignalGuard::~SignalGuard() {
    for (std::size_t i = 0; i < handled.size(); ++i) sigaction(handled[i], &previous[i], nullptr);
}

int SignalGuard::received() { return first_signal; }

const char* signal_name(int signal_number) {
    switch (signal_number) {
        case SIGINT: return "SIGINT";
        case SIGTERM: return "SIGTERM";
        case SIGHUP: return "SIGHUP";
        case SIGUSR1: return "SIGUSR1";
        case SIGUSR2: return "SIGUSR2";
        case SIGXCPU: return "SIGXCPU";
        default: return "a signal";
    }
}

}  // namespace mpcflow
