/**
 * Smile 1.0 (FasterXML smile-format-specification 1.0.6), a binary JSON, with the choices that Jackson's writer makes.
 *
 *     document   header? value
 *     header     3A 29 0A flags        flags: version (4 bits, 0) · – · raw binary (04) · shared strings (02) · shared names (01)
 *     FF         end of content, between documents
 *
 *     value      01…1F                 string at 0…30 of the string table
 *                20 21 22 23           "" null false true
 *                24 vint / 25 vint     int32 / int64, zigzag
 *                26 length packed      big integer, two's complement
 *                28 + 5 / 29 + 10      float / double: the IEEE bits, 7 a byte, most significant first
 *                2A vint length packed decimal: zigzag scale, unscaled big integer
 *                40…7F bytes           ASCII string of 1…64 bytes
 *                80…BF bytes           UTF-8 string of 2…65 bytes
 *                C0…DF                 -16…15, zigzag
 *                E0 / E4 bytes FC      longer ASCII / UTF-8 string
 *                E8 length packed      binary, 7 bits a byte
 *                EC…EF low             string at ((token & 3) << 8) + low
 *                F8 value* F9          array
 *                FA (name value)* FB   object
 *                FD length bytes       binary as it is
 *
 *     name       20                    ""
 *                30…33 low             name at ((token & 3) << 8) + low
 *                34 bytes FC           longer name
 *                40…7F                 name at 0…63
 *                80…BF bytes           ASCII name of 1…64 bytes
 *                C0…F7 bytes           UTF-8 name of 2…57 bytes
 *
 *     vint       groups of 7 bits, most significant first; the last byte has bit 7 set and holds 6 bits
 *     packed     7 bytes as 8 of 7 bits; r bytes at the end as r of 7 bits and one with the last r bits
 *
 * Every spelled-out string value of up to 65 bytes and every spelled-out name but "" enters its table when the header
 * says so (without a header: names only). A table of 1 024 is emptied before the next one enters. Writers never refer
 * to an index whose low byte is FE or FF, so that those bytes stay markers.
 */
export const header = Uint8Array.of(0x3a, 0x29, 0x0a)

/** Bits of the header's last byte. */
export const flags = { sharedNames: 0x01, sharedStrings: 0x02, rawBinary: 0x04 } as const

/** Tokens with one meaning of their own; ranges are listed in the layout above. */
export const tokens = {
  empty: 0x20,
  null: 0x21,
  false: 0x22,
  true: 0x23,
  int32: 0x24,
  int64: 0x25,
  bigInteger: 0x26,
  float: 0x28,
  double: 0x29,
  decimal: 0x2a,
  longName: 0x34,
  header: 0x3a,
  longAscii: 0xe0,
  longUnicode: 0xe4,
  binary: 0xe8,
  startArray: 0xf8,
  endArray: 0xf9,
  startObject: 0xfa,
  endObject: 0xfb,
  endOfString: 0xfc,
  rawBinary: 0xfd,
  endOfContent: 0xff,
} as const

/** Entries of each table of names and string values. */
export const maxShared = 1_024
