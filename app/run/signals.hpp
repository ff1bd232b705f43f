#pragma once
/// Stopping a run in order when a signal asks for it.

namespace mpcflow {

/// While it lives, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU are noted instead of ending the
/// process (one that the parent told us to ignore stays ignored). SIGPIPE and SIGXFSZ are ignored, from then
/// on, so that they show up as errors of the write. A SIGINT more than a second after the first ends the
/// process at once.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    /// The first signal that came, or 0.
    [[nodiscard]] static int received();
};

/// "SIGINT", "SIGTERM" ...
[[nodiscard]] const char* signal_name(int signal_number);

}  // namespace mpcflow
