// The search for one instruction set: `search.c` includes this file with NAME, TARGET, WIDTH, CANDIDATES and GATHER
// redefined.
// See CDocumentKernels.h for the contract.

/// The first place of the needle in `from..<end`; NOWHERE if there is none.
TARGET __attribute__((always_inline)) static inline size_t NAME(find)(
    const names_texts *texts, size_t from, size_t end, const wanted_text *needle, uint64_t *steps)
{
    size_t count = needle->count;
    if (end - from < count)
        return NOWHERE;
    const uint8_t *bytes = texts->bytes, first_byte = needle->bytes[0], last_byte = needle->bytes[count - 1];
    size_t last = end - count, place = from;
#if WIDTH > 1
    // Each step reads WIDTH bytes from `place`, and as many from `place + count - 1`.
    size_t readable = texts->size - (count - 1);
    for (; place <= last && place + WIDTH <= readable; place += WIDTH) {
        uint64_t found = CANDIDATES(bytes + place, bytes + place + count - 1, first_byte, last_byte);
        if (!found)
            continue;
        if (last - place < WIDTH - 1)
            found &= ((uint64_t)2 << (last - place)) - 1;
        for (; found; found &= found - 1) {
            size_t candidate = place + (size_t)__builtin_ctzll(found);
            if (is_match(bytes + candidate, texts->size - candidate, needle, steps))
                return candidate;
        }
    }
#endif
    for (; place <= last; place++)
        if (bytes[place] == first_byte && bytes[place + count - 1] == last_byte
            && is_match(bytes + place, texts->size - place, needle, steps))
            return place;
    return NOWHERE;
}

#if WIDTH > 1
/// A bit for each text of a block, in the order of their places, that contains the needle: for at most 64 texts, each of
/// which ends with NAMES_END, and which end where the block does. `used + count + WIDTH` bytes are readable.
///
/// No text is looked for: the ends are found along with the needle. In a word with a 1 at each byte of a text that is no
/// match, a 1 that is added to the first byte of the text is carried to its end unless there is a match in between.
TARGET static inline uint64_t NAME(texts_with)(
    const uint8_t *bytes, size_t used, const wanted_text *needle, uint64_t *steps)
{
    size_t count = needle->count;
    const uint8_t first_byte = needle->bytes[0], last_byte = needle->bytes[count - 1];
    uint64_t found = 0;
    // The text that is read, and whether there was no match in it so far.
    unsigned text = 0;
    uint64_t open = 1;
    for (size_t place = 0; place < used; place += WIDTH) {
        uint64_t ends = CANDIDATES(bytes + place, bytes + place, NAMES_END, NAMES_END);
        uint64_t matches = CANDIDATES(bytes + place, bytes + place + count - 1, first_byte, last_byte);
        if (count > 2)
            for (uint64_t rest = matches; rest; rest &= rest - 1) {
                // It may be behind the texts.
                size_t candidate = place + (size_t)__builtin_ctzll(rest);
                if (!is_match(bytes + candidate, used + count + WIDTH - candidate, needle, steps))
                    matches ^= rest & -rest;
            }
        uint64_t others = ~(matches | ends), starts = ends << 1, sum, last = (uint64_t)1 << (WIDTH - 1);
        if (used - place < WIDTH)
            ends &= ((uint64_t)1 << (used - place)) - 1;
#if WIDTH == 64
        // At most one of the two is carried.
        uint64_t carry = __builtin_add_overflow(others, starts, &sum);
        carry |= __builtin_add_overflow(sum, open, &sum);
#else
        others &= 2 * last - 1;
        sum = others + (starts & (2 * last - 1)) + open;
        uint64_t carry = sum >> WIDTH & 1;
#endif
        open = carry | (ends & last) >> (WIDTH - 1);
#ifdef GATHER
        found |= GATHER(~sum, ends) << (text & 63);
#else
        for (uint64_t rest = ends & ~sum; rest; rest &= rest - 1)
            found |= (uint64_t)1 << ((text + __builtin_popcountll(ends & ((rest & -rest) - 1))) & 63);
#endif
        text += (unsigned)__builtin_popcountll(ends);
    }
    return found;
}

/// Whether the texts of all rows of a block follow each other, in order, with nothing between or behind them.
TARGET static inline int NAME(is_in_order)(
    const names_block *block, const uint32_t *starts, const uint16_t *counts)
{
    uint32_t other = starts[0] ^ block->start;
    for (int row = 0; row + 1 < NAMES_BLOCK_ROWS; row++)
        other |= starts[row + 1] ^ (starts[row] + counts[row] + 1);
    return !other
        && starts[NAMES_BLOCK_ROWS - 1] + counts[NAMES_BLOCK_ROWS - 1] + 1 == block->start + block->used;
}
#endif

TARGET static uint64_t NAME(search)(
    const names_texts *texts, uint32_t first, uint32_t end, const uint64_t *among,
    const wanted_text *needle, uint64_t *result)
{
    uint64_t steps = 0;
    for (uint32_t index = first; index < end; index++) {
        const names_block *block = texts->blocks + index;
        const uint32_t *starts = texts->starts + (size_t)index * NAMES_BLOCK_ROWS;
        const uint16_t *counts = texts->counts + (size_t)index * NAMES_BLOCK_ROWS;
        uint64_t wanted = among[index] & block->occupied, found = 0;
        steps++;
#if WIDTH > 1
        // What is read soon is fetched meanwhile.
        if (end - index > AHEAD) {
            uint64_t soon = among[index + AHEAD] & block[AHEAD].occupied;
            if (__builtin_popcountll(soon) <= FEW)
                for (; soon; soon &= soon - 1) {
                    const uint8_t *text = texts->bytes + starts[AHEAD * NAMES_BLOCK_ROWS + __builtin_ctzll(soon)];
                    __builtin_prefetch(text);
                    __builtin_prefetch(text + 48);
                }
        }
#endif
        if (__builtin_popcountll(wanted) <= FEW) {
            for (uint64_t rest = wanted; rest; rest &= rest - 1) {
                int row = __builtin_ctzll(rest);
                size_t start = starts[row];
                steps++;
                if (NAME(find)(texts, start, start + counts[row], needle, &steps) != NOWHERE)
                    found |= (uint64_t)1 << row;
            }
            result[index] = found;
            continue;
        }
        size_t place = block->start, limit = place + block->used;
        int row = 0;
        steps += block->used / 64;
        place = NAME(find)(texts, place, limit, needle, &steps);
#if WIDTH > 1
        if (place != NOWHERE && !~block->occupied && texts->size - limit >= needle->count + WIDTH
            && NAME(is_in_order)(block, starts, counts)) {
            result[index] = NAME(texts_with)(texts->bytes + block->start, block->used, needle, &steps) & wanted;
            continue;
        }
#endif
        while (place != NOWHERE) {
            row = row_at(starts, counts, place, row);
            if (row < 0) {
                // A text that belongs to no row any more.
                row = 0;
                place++;
            } else {
                found |= (uint64_t)1 << row;
                place = (size_t)starts[row] + counts[row];
            }
            place = NAME(find)(texts, place, limit, needle, &steps);
        }
        result[index] = found & wanted;
    }
    return steps;
}

/// Whether a text has the bytes of the needle in this order.
TARGET static inline int NAME(is_spread)(
    const names_texts *texts, size_t place, size_t end, const uint8_t *needle, size_t count,
    uint64_t *steps)
{
    if (end - place < count)
        return 0;
    const uint8_t *bytes = texts->bytes;
    size_t next = 0;
    *steps += 1 + (end - place) / 64;
#if WIDTH > 1
    if (end - place <= WIDTH && place + WIDTH <= texts->size) {
        // Without branches that depend on the text. Once a byte is not found, none is.
        uint64_t found = 0, behind = ((uint64_t)2 << (end - place - 1)) - 1;
        for (; next < count; next++) {
            found = CANDIDATES(bytes + place, bytes + place, needle[next], needle[next]) & behind;
            behind &= ~(found ^ (found - 1));
        }
        return found != 0;
    }
    // A part of the text at a time: each byte is looked for behind the place of the one before.
    while (place < end && place + WIDTH <= texts->size) {
        uint64_t behind = end - place < WIDTH ? ((uint64_t)1 << (end - place)) - 1 : ~(uint64_t)0;
        for (;;) {
            uint64_t found = CANDIDATES(bytes + place, bytes + place, needle[next], needle[next]) & behind;
            if (!found)
                break;
            if (++next == count)
                return 1;
            // All bits above the lowest that was found.
            behind &= ~(found ^ (found - 1));
        }
        place += WIDTH;
    }
#endif
    for (; place < end; place++)
        if (bytes[place] == needle[next] && ++next == count)
            return 1;
    return 0;
}

TARGET static uint64_t NAME(spread)(
    const names_texts *texts, uint32_t index, uint64_t among, const uint8_t *needle, size_t count,
    uint64_t *steps)
{
    const uint32_t *starts = texts->starts + (size_t)index * NAMES_BLOCK_ROWS;
    const uint16_t *counts = texts->counts + (size_t)index * NAMES_BLOCK_ROWS;
    uint64_t found = 0;
    for (uint64_t rest = among & texts->blocks[index].occupied; rest; rest &= rest - 1) {
        int row = __builtin_ctzll(rest);
        size_t start = starts[row];
        if (NAME(is_spread)(texts, start, start + counts[row], needle, count, steps))
            found |= (uint64_t)1 << row;
    }
    return found;
}
