#pragma once
/// Particles of all domains brought to domain 0, or from where they are made to those that own them, piece by
/// piece: a message never holds more than a few thousand.

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/domain/exchange.hpp"

namespace mpcflow {

inline constexpr std::int64_t particles_of_piece = 1 << 14;

/// In domain 0 calls take(particle) for each particle of all domains; `own` are those of this one, in ranges.
template <class Particle, class Range = std::span<const Particle>, class Take>
void gather_particles(Exchange& exchange, const std::vector<Range>& own, const Take& take) {
    std::int64_t count = 0;
    for (const auto& part : own) count += static_cast<std::int64_t>(part.size());
    const std::vector<Message> counts = exchange.share(message_of(std::span<const std::int64_t>(&count, 1)));
    const auto pieces_of = [](std::int64_t particles) {
        return (particles + particles_of_piece - 1) / particles_of_piece;
    };
    if (exchange.number() == 0) {
        for (const auto& part : own)
            for (const Particle& particle : part) take(particle);
        for (int other = 1; other < exchange.count(); ++other) {
            const std::int64_t pieces = pieces_of(values_of<std::int64_t>(counts[other]).at(0));
            for (std::int64_t piece = 0; piece < pieces; ++piece) {
                const std::vector<Message> came =
                    exchange.trade(std::span(&other, 1), std::vector<Message>(1));
                for (const Particle& particle : values_of<Particle>(came.front())) take(particle);
            }
        }
        return;
    }
    constexpr int domain_0 = 0;
    std::vector<Particle> piece;
    std::int64_t left = count;
    for (const auto& part : own) {
        for (const Particle& particle : part) {
            piece.push_back(particle);
            if (--left > 0 && std::ssize(piece) < particles_of_piece) continue;
            static_cast<void>(
                exchange.trade(std::span(&domain_0, 1), {message_of(std::span<const Particle>(piece))}));
            piece.clear();
        }
    }
}

/// Each domain makes `count` particles, make(0) ... make(count - 1) in this order, and sends each to the
/// domain owner(particle), which calls take(particle). The counts may differ.
template <class Particle, class Make, class Owner, class Take>
void spread_particles(Exchange& exchange, std::int64_t count, const Make& make, const Owner& owner,
                      const Take& take) {
    std::vector<std::int64_t> counts;
    for (const Message& theirs : exchange.share(message_of(std::span<const std::int64_t>(&count, 1))))
        counts.push_back(values_of<std::int64_t>(theirs).at(0));
    const int own = exchange.number();
    for (std::int64_t first = 0; first < *std::ranges::max_element(counts); first += particles_of_piece) {
        std::vector<std::vector<Particle>> to(counts.size());
        for (std::int64_t i = first; i < std::min(count, first + particles_of_piece); ++i) {
            const Particle particle = make(i);
            to[static_cast<std::size_t>(owner(particle))].push_back(particle);
        }
        for (const Particle& particle : to[static_cast<std::size_t>(own)]) take(particle);
        // Two that have none left have nothing to say to each other.
        std::vector<int> others = exchange.all_others();
        std::erase_if(others, [&](int other) {
            return count <= first && counts[static_cast<std::size_t>(other)] <= first;
        });
        std::vector<Message> messages;
        for (const int other : others)
            messages.push_back(message_of(std::span<const Particle>(to[static_cast<std::size_t>(other)])));
        for (const Message& theirs : exchange.trade(others, std::move(messages)))
            for (const Particle& particle : values_of<Particle>(theirs)) take(particle);
    }
}

}  // namespace mpcflow
