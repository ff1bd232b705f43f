#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "physics/host/cell_walk.hpp"
#include "physics/host/host_particles.hpp"

namespace mpcflow {

/// Where the particles of a cell go that are not re-ordered yet. The thread that owns the cell takes slots
/// from the front, without atomics; the others, which have few of its particles, take them from the back.
/// When all are taken the two meet.
struct CellSlots {
    std::int64_t front;
    std::int64_t back;  ///< one past

    [[nodiscard]] std::int64_t take_as_owner() { return front++; }
    [[nodiscard]] std::int64_t take_as_other() {
        return std::atomic_ref(back).fetch_sub(1, std::memory_order_relaxed) - 1;
    }
};

/// The particles of a fluid or of a domain of it, of which every thread works on a range: equal parts at
/// first, from the first re-ordering on those that were in its cells. Their number may change between steps.
template <class Particle>
class SharedParticles {
public:
    SharedParticles(std::int64_t count, int threads)
        : count_(count), now_(count), reordered_(count), of_threads_(static_cast<std::size_t>(threads)) {}

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::int64_t bytes() const { return now_.bytes() + reordered_.bytes(); }

    /// A thread's particles go from number first to, without it, number last.
    [[nodiscard]] std::int64_t first(int thread) const { return of_threads_[thread].first; }
    [[nodiscard]] std::int64_t last(int thread) const { return of_threads_[thread].last; }
    [[nodiscard]] ParticleRange<Particle> of(int thread) const { return {now_, first(thread), last(thread)}; }
    [[nodiscard]] HostParticles<Particle>& now() { return now_; }

    /// The equal part of a thread. The particles are not set: each thread shall touch its own first.
    void share_out(int thread) {
        const auto threads = std::ssize(of_threads_);
        of_threads_[thread].first = count_ * thread / threads;
        of_threads_[thread].last = count_ * (thread + 1) / threads;
        of_threads_[thread].marks.clear();
    }

    /// Re-ordering: each thread says how many are in its cells and where, all store their particles, and one
    /// of them finishes.
    void set_next(int thread, std::int64_t count, std::vector<CellMark> marks) {
        of_threads_[thread].next_count = count;
        of_threads_[thread].next_marks = std::move(marks);
    }
    /// For a thread's CellWalk, of its last re-ordering.
    [[nodiscard]] std::span<const CellMark> marks(int thread) const { return of_threads_[thread].marks; }
    /// The number from which the particles in a thread's cells go.
    [[nodiscard]] std::int64_t next_first(int thread) const {
        std::int64_t before = 0;
        for (int t = 0; t < thread; ++t) before += of_threads_[t].next_count;
        return before;
    }
    [[nodiscard]] HostParticles<Particle>& reordered() { return reordered_; }
    void finish_reordering() {
        std::swap(now_, reordered_);
        std::int64_t first = 0;
        for (Range& range : of_threads_) {
            range.first = first;
            range.last = first += range.next_count;
            range.marks = std::move(range.next_marks);
        }
    }

    void clear() { count_ = 0; }
    void append(const Particle& particle) {
        if (count_ == now_.size()) {
            HostParticles<Particle> larger(64 + count_ + count_ / 4);
            larger.copy(now_, count_);
            now_ = std::move(larger);
            reordered_ = HostParticles<Particle>(now_.size());
        }
        now_.set(count_++, particle);
    }
    /// The last particles close the gaps.
    void remove(std::vector<std::int64_t> slots) {
        std::ranges::sort(slots);
        for (; !slots.empty(); slots.pop_back()) now_.set(slots.back(), now_[--count_]);
    }
    /// After some were removed and appended: the last thread has the appended ones.
    void mend_ranges() {
        for (Range& range : of_threads_) {
            range.first = std::min(range.first, count_);
            range.last = std::min(range.last, count_);
        }
        of_threads_.back().last = count_;
    }

private:
    /// On cache lines of its own.
    struct alignas(128) Range {
        std::int64_t first = 0;
        std::int64_t last = 0;        ///< one past
        std::int64_t next_count = 0;  ///< in its cells, when re-ordering
        std::vector<CellMark> marks;
        std::vector<CellMark> next_marks;
    };

    std::int64_t count_;
    HostParticles<Particle> now_;
    HostParticles<Particle> reordered_;
    std::vector<Range> of_threads_;
};

}  // namespace mpcflow
