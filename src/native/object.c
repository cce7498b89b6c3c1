/* Checks shared objects: see object.h. */
#define _DEFAULT_SOURCE
#include "native/object.h"

#include <string.h>

#ifdef __ELF__
#include <link.h>

/* Whether `bytes` bytes at the place `from` are inside of a file of `count` bytes. */
static bool fits(size_t count, size_t from, size_t bytes)
{
    return from <= count && bytes <= count - from;
}

static bool has_segments(const unsigned char *bytes, size_t count, const ElfW(Ehdr) * head)
{
    ElfW(Phdr) segment;
    if (head->e_phnum == 0 || head->e_phentsize != sizeof segment) return false;
    if (!fits(count, head->e_phoff, (size_t)head->e_phnum * sizeof segment)) return false;
    for (size_t i = 0; i < head->e_phnum; i++) {
        memcpy(&segment, bytes + head->e_phoff + i * sizeof segment, sizeof segment);
        if (!fits(count, segment.p_offset, segment.p_filesz)) return false;
    }
    return true;
}

/* The loader does not need sections; but linkers write their table last, so truncated files lack
 * it. */
static bool has_sections(const unsigned char *bytes, size_t count, const ElfW(Ehdr) * head)
{
    ElfW(Shdr) section;
    if (head->e_shnum == 0) return true; /* stripped */
    if (head->e_shentsize != sizeof section) return false;
    if (!fits(count, head->e_shoff, (size_t)head->e_shnum * sizeof section)) return false;
    for (size_t i = 0; i < head->e_shnum; i++) {
        memcpy(&section, bytes + head->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOBITS) continue;
        if (!fits(count, section.sh_offset, section.sh_size)) return false;
    }
    return true;
}

bool sal_object_is_whole(const unsigned char *bytes, size_t count)
{
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    ElfW(Ehdr) head;
    if (count < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == class &&
           head.e_type == ET_DYN && has_segments(bytes, count, &head) &&
           has_sections(bytes, count, &head);
}

#else

bool sal_object_is_whole(const unsigned char *bytes, size_t count)
{
    (void)bytes;
    return count > 0; /* other loaders check that themselves */
}

#endif
