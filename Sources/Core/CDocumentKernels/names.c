#include "CDocumentKernels.h"

#include <string.h>

int32_t names_fold_ascii(
    const uint8_t *name, size_t count, uint8_t *folded, uint32_t *capitals)
{
    // Without branches, so that the compiler uses vectors.
    uint8_t all = 0, late = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = name[i], lowered = (uint8_t)(byte - 'A') < 26 ? 0x20 : 0;
        all |= byte;
        folded[i] = byte | lowered;
    }
    for (size_t i = 32; i < count; i++)
        late |= name[i] ^ folded[i];
    uint32_t bits = 0;
    for (size_t i = 0; i < count && i < 32; i++)
        bits |= (uint32_t)(name[i] != folded[i]) << i;
    *capitals = bits;
    return all >= 0x80 ? NAMES_OTHER : late ? NAMES_LATE : NAMES_SHORT;
}

int32_t names_key_word(const uint8_t *text, size_t count, size_t skipped, uint64_t *word)
{
    // The key's bytes from `skipped` on are taken, up to eight of them.
    size_t length = 0, end = skipped + 8;
    uint64_t found = 0;
#define TAKE(byte) \
    { \
        if (length >= skipped) \
            found |= (uint64_t)(byte) << (56 - 8 * (length - skipped)); \
        if (++length == end) \
            goto full; \
    }
    for (size_t place = 0; place < count;) {
        uint8_t byte = text[place];
        if ((uint8_t)(byte - '0') > 9) {
            if (byte >= 0xD9)
                return -1;
            TAKE(byte)
            place++;
            continue;
        }
        while (place < count && text[place] == '0')
            place++;
        size_t first = place;
        while (place < count && (uint8_t)(text[place] - '0') <= 9)
            place++;
        // No digit of another script may continue the number.
        if (place < count && text[place] >= 0xD9)
            return -1;
        TAKE('0')
        size_t digits = place - first;
        for (; digits >= 255; digits -= 255)
            TAKE(255)
        TAKE(digits)
        for (; first < place; first++)
            TAKE(text[first])
    }
    if (length < skipped)
        return 0;
full:
    *word = found;
    return 1;
#undef TAKE
}

static inline int is_digit(uint8_t byte)
{
    return (uint8_t)(byte - '0') <= 9;
}

// Whether a character that ends at a byte may be a digit that is not in ASCII: if so, it begins with 0xD9 or more.
static int may_be_other_digit(const uint8_t *text, size_t end)
{
    size_t start = end;
    while (start > 0 && end - start < 4 && (text[start - 1] & 0xC0) == 0x80)
        start--;
    return start > 0 && text[start - 1] >= 0xD9;
}

// The first place where two texts differ, of which one may go on where the other ends.
static size_t first_difference(const uint8_t *one, const uint8_t *other, size_t common)
{
    size_t place = 0;
    if (common < 8) {
        while (place < common && one[place] == other[place])
            place++;
        return place;
    }
    while (place < common) {
        // The last eight bytes may have been read in part.
        size_t start = place + 8 <= common ? place : common - 8;
        uint64_t left, right;
        memcpy(&left, one + start, 8);
        memcpy(&right, other + start, 8);
        uint64_t difference = left ^ right;
        if (difference != 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return start + (size_t)__builtin_ctzll(difference) / 8;
#else
            return start + (size_t)__builtin_clzll(difference) / 8;
#endif
        }
        place = start + 8;
    }
    return common;
}

// The place after the digits from a place on, or -1 if a digit of another script may follow.
static ptrdiff_t digits_end(const uint8_t *text, size_t count, size_t place)
{
    while (place < count && is_digit(text[place]))
        place++;
    return place < count && text[place] >= 0xD9 ? -1 : (ptrdiff_t)place;
}

int32_t names_compare_keys(
    const uint8_t *one, size_t one_count, const uint8_t *other, size_t other_count, int32_t *result)
{
    size_t place = first_difference(one, other, one_count < other_count ? one_count : other_count);
    if (place == one_count && place == other_count) {
        *result = 0;
        return 1;
    }
    // The end comes before any byte.
    int left = place < one_count ? one[place] : -1;
    int right = place < other_count ? other[place] : -1;
    if (left >= 0xD9 || right >= 0xD9)
        return 0;
    // The number that both are in, if any, began here; its digits so far may be zeros that do not count.
    size_t start = place;
    uint8_t begun = '0';
    while (start > 0 && is_digit(one[start - 1]))
        begun |= one[--start];
    if (may_be_other_digit(one, start))
        return 0;
    int left_is_digit = left >= 0 && is_digit((uint8_t)left);
    int right_is_digit = right >= 0 && is_digit((uint8_t)right);
    if (start == place ? left_is_digit && right_is_digit : left_is_digit || right_is_digit) {
        size_t one_start = place, other_start = place;
        if (begun == '0') {
            while (one_start < one_count && one[one_start] == '0')
                one_start++;
            while (other_start < other_count && other[other_start] == '0')
                other_start++;
        }
        ptrdiff_t one_end = digits_end(one, one_count, one_start);
        ptrdiff_t other_end = digits_end(other, other_count, other_start);
        if (one_end < 0 || other_end < 0)
            return 0;
        size_t one_digits = (size_t)one_end - one_start, other_digits = (size_t)other_end - other_start;
        if (one_digits != other_digits) {
            *result = one_digits < other_digits ? -1 : 1;
            return 1;
        }
        // They are short, and most differ in the first digit.
        size_t same = 0;
        while (same < one_digits && one[one_start + same] == other[other_start + same])
            same++;
        if (same == one_digits)
            return 0;
        *result = one[one_start + same] - other[other_start + same];
        return 1;
    }
    // A number begins with the byte '0', whatever its digits are.
    if (left_is_digit)
        left = '0';
    if (right_is_digit)
        right = '0';
    *result = left - right;
    return 1;
}

uint64_t names_key_words(
    const names_texts *texts, names_entry *entries, size_t count, size_t skipped)
{
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(texts->starts + entries[i].row);
        __builtin_prefetch(texts->counts + entries[i].row);
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *text = texts->bytes + texts->starts[entries[i].row];
        __builtin_prefetch(text);
        __builtin_prefetch(text + skipped + 8);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = entries[i].row;
        const uint8_t *text = texts->bytes + texts->starts[row];
        if (names_key_word(text, texts->counts[row], skipped, &entries[i].word) != 1)
            rest |= (uint64_t)1 << i;
    }
    return rest;
}

uint64_t names_words_up_to(const uint64_t *words, size_t count, uint64_t flip, uint64_t bound)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count && i < 64; i++)
        found |= (uint64_t)((words[i] ^ flip) <= bound) << i;
    return found;
}

uint64_t names_numbers_below(
    const uint16_t *numbers, size_t count, uint16_t flip, uint16_t bound, uint64_t *equal)
{
    uint64_t below = 0, same = 0;
    for (size_t i = 0; i < count && i < 64; i++) {
        uint16_t number = numbers[i] ^ flip;
        below |= (uint64_t)(number < bound) << i;
        same |= (uint64_t)(number == bound) << i;
    }
    *equal = same;
    return below;
}

/// `names_lengths_within` for 64 lengths: a number of turns that is known, and nothing that depends on a length, is what
/// compilers turn into vectors.
static inline uint64_t whole_lengths_within(
    const uint16_t *lengths, const uint8_t *less, uint16_t least, uint16_t most)
{
    uint8_t within[64];
    uint16_t width = most - least;
    for (int i = 0; i < 64; i++) {
        uint16_t known = less[i] == UINT8_MAX ? 0 : UINT16_MAX;
        uint16_t length = (lengths[i] - less[i]) & known;
        within[i] = (uint16_t)(length - least) <= width;
    }
    uint64_t found = 0;
    for (int part = 0; part < 8; part++) {
        uint64_t bytes;
        memcpy(&bytes, within + part * 8, sizeof bytes);
        // Each byte, which is 0 or 1, becomes a bit of the highest byte.
        found |= (bytes * 0x0102040810204080) >> 56 << part * 8;
    }
    return found;
}

uint64_t names_lengths_within(
    const uint16_t *lengths, const uint8_t *less, size_t count, uint16_t least, uint16_t most)
{
    if (count >= 64)
        return whole_lengths_within(lengths, less, least, most);
    uint16_t some_lengths[64] = {0};
    uint8_t some_less[64] = {0};
    memcpy(some_lengths, lengths, count * sizeof *lengths);
    memcpy(some_less, less, count * sizeof *less);
    uint64_t found = whole_lengths_within(some_lengths, some_less, least, most);
    return found & ((UINT64_C(1) << count) - 1);
}

int32_t names_is_name(const uint8_t *name, size_t count)
{
    uint8_t bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= (name[i] == 0) | (name[i] == '/');
    return !bad;
}

int32_t names_are_texts(const uint8_t *bytes, size_t size, size_t count)
{
    size_t ends = 0;
    size_t zeros = 0;
    while (size > 0) {
        // As many as can be counted in a byte, so that the compiler counts in vectors of bytes.
        size_t some = size < 255 ? size : 255;
        uint8_t some_ends = 0;
        uint8_t some_zeros = 0;
        for (size_t i = 0; i < some; i++) {
            some_ends += bytes[i] == NAMES_END;
            some_zeros += bytes[i] == 0;
        }
        ends += some_ends;
        zeros += some_zeros;
        bytes += some;
        size -= some;
    }
    return ends == count && zeros == 0;
}

int32_t names_are_equal(const uint8_t *one, const uint8_t *other, size_t count)
{
    return memcmp(one, other, count) == 0;
}

#define ROTATE(word, bits) (((word) << (bits)) | ((word) >> (64 - (bits))))

static inline void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = ROTATE(v[1], 13) ^ v[0];
    v[0] = ROTATE(v[0], 32);
    v[2] += v[3];
    v[3] = ROTATE(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = ROTATE(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = ROTATE(v[1], 17) ^ v[2];
    v[2] = ROTATE(v[2], 32);
}

static inline void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

uint64_t names_hash(
    uint64_t key0, uint64_t key1, uint64_t first, const uint8_t *bytes, size_t count)
{
    uint64_t v[4] = {
        key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d,
        key0 ^ 0x6c7967656e657261, key1 ^ 0x7465646279746573,
    };
    take(v, first);
    size_t place = 0;
    for (; place + 8 <= count; place += 8) {
        uint64_t word;
        memcpy(&word, bytes + place, 8);
        take(v, word);
    }
    uint64_t rest = (uint64_t)(count + 8) << 56;
    for (size_t i = 0; place + i < count; i++)
        rest |= (uint64_t)bytes[place + i] << (8 * i);
    take(v, rest);
    v[2] ^= 0xFF;
    mix(v);
    mix(v);
    mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
