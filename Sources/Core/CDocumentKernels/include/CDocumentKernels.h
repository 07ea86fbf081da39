// What the table of documents needs beyond Swift: search in many names by SIMD, a keyed hash, and memory that
// grows without a copy.
//
// The search gives the same result on all instruction sets. No function keeps state; all are thread-safe.
#pragma once

#include <stddef.h>
#include <stdint.h>

// MARK: Search

enum {
    /// The number of rows in a block: one word of a bitset.
    NAMES_BLOCK_ROWS = 64,
    /// The byte behind each text. It occurs in no text and in no needle.
    NAMES_END = 0xFF,
};

/// Instruction sets. Those of other processors than this one are treated as NAMES_PLAIN.
enum names_instructions {
    NAMES_PLAIN = 0,
    NAMES_SSE2 = 1,
    NAMES_AVX2 = 2,
    NAMES_NEON = 3,
    /// AVX2 and BMI2, on processors that gather bits in few steps.
    NAMES_GATHERING = 4,
};

/// The best instruction set of this processor, as a `names_instructions`.
int32_t names_best_instructions(void);

/// The texts of 64 consecutive rows: `used` bytes from `start` on. Each text is followed by NAMES_END; the order of
/// the texts is arbitrary, and some may belong to no row.
typedef struct {
    uint32_t start, used;
    /// A bit for each row that has a text.
    uint64_t occupied;
} names_block;

/// Texts in blocks of rows.
typedef struct {
    /// All bytes; nothing else is read.
    const uint8_t *bytes;
    size_t size;
    /// A block for each 64 rows.
    const names_block *blocks;
    /// The place and length of each row's text, without NAMES_END: 64 for each block. A row without text has length
    /// 0 and any place.
    const uint32_t *starts;
    const uint16_t *counts;
} names_texts;

/// Finds the rows whose texts contain the needle: a word of `result` for each block of `first..<end`.
///
/// @param instructions an instruction set of this processor
/// @param among a word for each block: only these rows are tested; those without text match nothing
/// @param needle at least one byte, none of them NAMES_END
/// @param result written at `first..<end`; may be `among`
/// @return the approximate number of steps: one for each 64 bytes read
uint64_t names_search(
    int32_t instructions, const names_texts *texts, uint32_t first, uint32_t end,
    const uint64_t *among, const uint8_t *needle, size_t count, uint64_t *result);

/// Finds the rows of a block whose texts have the bytes of the needle in this order, with anything between them.
///
/// @param instructions an instruction set of this processor
/// @param block the number of a block
/// @param among only these rows are tested; those without text match nothing
/// @param needle at least one byte, none of them NAMES_END
/// @param steps incremented by the approximate number of steps: one for each 64 bytes read
uint64_t names_spread(
    int32_t instructions, const names_texts *texts, uint32_t block, uint64_t among,
    const uint8_t *needle, size_t count, uint64_t *steps);

// MARK: Names

/// The forms of names.
enum names_form {
    /// Not in ASCII; nothing that was written is valid.
    NAMES_OTHER = 0,
    /// In ASCII, with capitals in the first 32 bytes at most.
    NAMES_SHORT = 1,
    /// In ASCII, with capitals behind that.
    NAMES_LATE = 2,
};

/// Lowers the letters A to Z of a name in ASCII.
///
/// @param folded `count` bytes, written
/// @param capitals a bit for each of the first 32 bytes that was lowered, written
/// @return a `names_form`
int32_t names_fold_ascii(
    const uint8_t *name, size_t count, uint8_t *folded, uint32_t *capitals);

/// Eight bytes of the sort key of a folded text, for texts without digits that are not in ASCII. SortKeyBuilder in
/// Swift describes the key.
///
/// @param skipped the number of bytes of the key in front
/// @param word the bytes, the first in the highest place, then zeros; written
/// @return 1; 0 if the key ends before; -1 if the text may have other digits
int32_t names_key_word(const uint8_t *text, size_t count, size_t skipped, uint64_t *word);

/// Compares the sort keys of two folded texts, by a look at where the texts differ.
///
/// @param result negative, zero or positive if the first comes before, with or after the second; written
/// @return whether it is known; digits that are not in ASCII, and numbers that differ in leading zeros, take other means
int32_t names_compare_keys(
    const uint8_t *one, size_t one_count, const uint8_t *other, size_t other_count, int32_t *result);

/// A row and a word to sort it by.
typedef struct {
    uint64_t word;
    uint32_t row;
} names_entry;

/// The same for the texts of up to 64 rows, which are fetched from memory at once.
///
/// @param entries each has a row with text; the words are written
/// @return a bit for each entry without a word: its text must be read by other means, or its key ends before
uint64_t names_key_words(
    const names_texts *texts, names_entry *entries, size_t count, size_t skipped);

/// A bit for each of up to 64 words that is at most `bound` once the bits of `flip` in it are turned.
uint64_t names_words_up_to(const uint64_t *words, size_t count, uint64_t flip, uint64_t bound);

/// A bit for each of up to 64 numbers that is less than `bound` once the bits of `flip` in it are turned.
///
/// @param equal the same for those that equal it, written
uint64_t names_numbers_below(
    const uint16_t *numbers, size_t count, uint16_t flip, uint16_t bound, uint64_t *equal);

/// A bit for each of up to 64 lengths that is `least` at least and `most` at most, once `less` is subtracted; where that
/// is 255, it is 0.
uint64_t names_lengths_within(
    const uint16_t *lengths, const uint8_t *less, size_t count, uint16_t least, uint16_t most);

/// Whether no byte is '/' or 0.
int32_t names_is_name(const uint8_t *name, size_t count);

/// Whether `count` bytes are the same.
int32_t names_are_equal(const uint8_t *one, const uint8_t *other, size_t count);

/// SipHash-1-3 of two words and some bytes.
uint64_t names_hash(
    uint64_t key0, uint64_t key1, uint64_t first, const uint8_t *bytes, size_t count);

/// Whether some bytes have no 0, and NAMES_END as often as `count` says.
int32_t names_are_texts(const uint8_t *bytes, size_t size, size_t count);

// MARK: Memory

/// Zeroed pages, which take no memory until they are written; NULL if there is no room. `size` is a multiple of the
/// page size.
void *names_map(size_t size);

/// The same pages with more behind them, perhaps at another address; NULL, without effect, if there is no room.
void *names_remap(void *memory, size_t size, size_t new_size);

void names_unmap(void *memory, size_t size);

/// Returns whole pages to the system. They read as zeros from then on.
void names_discard(void *memory, size_t size);

/// Gives whole pages their memory at once, in a tenth of the time that it takes one after the other. Without effect
/// where the system can't.
void names_populate(void *memory, size_t size);

size_t names_page_size(void);

/// Lets the processor fetch what is read soon. Any address may be given.
static inline void names_prefetch(const void *address) {
    __builtin_prefetch(address);
}

/// Starts to fetch a text of few lines of the cache: its first and its last one, of which half of the names have two.
static inline void names_prefetch_text(const uint8_t *text, size_t count) {
    __builtin_prefetch(text);
    if (count > 0)
        __builtin_prefetch(text + count - 1);
}

/// Makes a page ready to be written, without a change of the byte.
static inline void names_touch(void *byte) {
    unsigned char seen = 0;
    // It counts as a write in any case; an addition of zero would be compiled to a read.
    __atomic_compare_exchange_n((unsigned char *)byte, &seen, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
