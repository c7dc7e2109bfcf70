import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import {
  classNames,
  defaultCodecClass,
  encodeSmileValue,
  trueKey,
} from '../../../../src/formats/sequence-file/layout.ts'
import { readSequenceFile, readSequenceFileHeader } from '../../../../src/formats/sequence-file/reader.ts'
import { encodeVint, readVint } from '../../../../src/formats/sequence-file/vint.ts'
import { createSequenceFileWriter } from '../../../../src/formats/sequence-file/writer.ts'
import { decodeEnvelope, encodeEnvelope } from '../../../../src/formats/thrift/envelope.ts'
import { encodeFields } from '../../../../src/formats/thrift/field-list.ts'
import { encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { thriftType } from '../../../../src/formats/thrift/types.ts'

const fixture = readFileSync(new URL('../../../fixtures/sequence-file/layout-2010-hello20.seq', import.meta.url))
const sync = encodeThriftText('sluice-fixture-1')
const hello = encodeEnvelope({
  typeName: 'hello',
  payload: encodeFields([{ id: 1, type: thriftType.string, value: encodeThriftText('world') }]),
})

const options = {
  keyClass: 'com.ning.serialization.TBooleanWritable',
  valueClass: 'com.ning.serialization.ThriftEnvelope',
  sync,
}

/** What a block holds, spelled out: its number of records and its four buffers, unfolded. */
const blocksOf = (
  bytes: Uint8Array,
  from: number,
): { readonly count: number; readonly buffers: readonly string[] }[] => {
  const blocks = []
  for (let at = from; at < bytes.length; ) {
    expect(Buffer.from(bytes.subarray(at, at + 20))).toEqual(Buffer.concat([Buffer.from('ffffffff', 'hex'), sync]))
    const count = readVint(bytes, at + 20)
    at = count.end
    const buffers = []
    for (let i = 0; i < 4; i++) {
      const length = readVint(bytes, at)
      at = length.end + length.value
      buffers.push(inflateSync(bytes.subarray(length.end, at)).toString('hex'))
    }
    blocks.push({ count: count.value, buffers })
  }
  return blocks
}

describe('the file of 2010', () => {
  const header = Buffer.concat([
    Buffer.from('53455106', 'hex'),
    Buffer.from('\x27com.ning.serialization.TBooleanWritable', 'latin1'),
    Buffer.from('\x25com.ning.serialization.ThriftEnvelope', 'latin1'),
    Buffer.from('0101', 'hex'),
    Buffer.from('\x2aorg.apache.hadoop.io.compress.DefaultCodec', 'latin1'),
    Buffer.from('00000000', 'hex'),
    sync,
  ])

  test('begins with its header, byte by byte, 147 of them', () => {
    expect(header).toHaveLength(0x93)
    expect(fixture.subarray(0, 0x93)).toEqual(header)
    expect(fixture.subarray(0xa7, 0xa8).toString('hex')).toBe('14')
  })

  test('has one block of 20 records, compressed by zlib', () => {
    const value = '0b00000000000568656c6c6f' + '0b00010000000d0b000100000005776f726c6400' + '00'
    expect(value).toHaveLength(2 * 33)
    const buffers = ['05', '0200010100', '21', value].map(record => record.repeat(20))
    expect(blocksOf(fixture, 0x93)).toEqual([{ count: 20, buffers }])
  })

  test('is read as 20 times hello, world', () => {
    const records = [...readSequenceFile(fixture)]
    expect(records).toHaveLength(20)
    for (const { key, value } of records) {
      expect(Buffer.from(key).toString('hex')).toBe('0200010100')
      expect(decodeEnvelope(value)).toMatchObject({ typeName: 'hello', name: 'hello' })
    }
  })

  test('is what the writer makes today, except for the freedom of zlib', () => {
    const writer = createSequenceFileWriter(options)
    for (let i = 0; i < 20; i++) writer.append(trueKey, hello)
    const written = writer.finish()
    expect(Buffer.from(written.subarray(0, 0xa8))).toEqual(fixture.subarray(0, 0xa8))
    expect(blocksOf(written, 0x93)).toEqual(blocksOf(fixture, 0x93))
  })
})

describe('createSequenceFileWriter', () => {
  test('writes a header only when there are no records', () => {
    const bytes = createSequenceFileWriter({
      ...options,
      keyClass: classNames.key,
      valueClass: classNames.thriftEnvelope,
    }).finish()
    const header = readSequenceFileHeader(bytes)
    expect(header).toMatchObject({ keyClass: classNames.key, valueClass: classNames.thriftEnvelope, end: bytes.length })
    expect([...readSequenceFile(bytes)]).toEqual([])
  })

  test('cuts a block when it has so many bytes, on request, and at the end', () => {
    const writer = createSequenceFileWriter({ ...options, blockBytes: 30 })
    const append = (times: number): void => {
      for (let i = 0; i < times; i++) writer.append(trueKey, new Uint8Array(5))
    }
    append(4)
    writer.endBlock()
    writer.endBlock()
    append(1)
    const counts = blocksOf(writer.finish(), 0x93).map(({ count }) => count)
    expect(counts).toEqual([3, 1, 1])
  })

  test('refuses a record after the end, and a sync mark of another length', () => {
    const writer = createSequenceFileWriter(options)
    writer.finish()
    expect(() => writer.append(trueKey, hello)).toThrow(TypeError)
    expect(() => createSequenceFileWriter({ ...options, sync: new Uint8Array(15) })).toThrow(RangeError)
  })

  test('is undone by reading', () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(bytes, bytes), { maxLength: 30 }),
        fc.integer({ min: 1, max: 2000 }),
        (records, blockBytes) => {
          const writer = createSequenceFileWriter({ ...options, blockBytes })
          for (const [key, value] of records) writer.append(key, value)
          const found = [...readSequenceFile(writer.finish())]
          expect(found.map(({ key, value }) => [[...key], [...value]])).toEqual(
            records.map(([key, value]) => [[...key], [...value]]),
          )
        },
      ),
    )
  })
})

describe('readSequenceFile', () => {
  test('refuses every cut, and gives the records before it', () => {
    const writer = createSequenceFileWriter({ ...options, blockBytes: 1 })
    for (let i = 0; i < 2; i++) writer.append(trueKey, hello)
    const whole = writer.finish()
    const block = (whole.length - 0x93) / 2
    for (let end = 0; end < whole.length; end++) {
      if (end === 0x93 || end === 0x93 + block) continue
      let records = 0
      expect(() => {
        for (const _ of readSequenceFile(whole.subarray(0, end))) records++
      }).toThrow(FormatError)
      expect(records).toBe(end > 0x93 + block ? 1 : 0)
    }
  })

  test.each([
    { name: 'another magic', at: 2, byte: 0x52, want: 'expected "SEQ" at byte 0' },
    { name: 'another version', at: 3, byte: 7, want: 'expected version 1 to 6, found 7 at byte 3' },
    { name: 'blocks where records are due', at: 0x53, byte: 0, want: 'expected a record of at most' },
    { name: 'another codec', at: 0x55, byte: 0x78, want: `expected one of ${defaultCodecClass}, ` },
    { name: 'another sync mark', at: 0x97, byte: 0, want: "expected the file's sync mark at byte 151" },
    { name: 'data that is not zlib', at: 0xa9, byte: 0, want: 'expected data of DefaultCodec' },
    { name: 'a count beyond the lengths', at: 0xa7, byte: 21, want: 'expected at most 20 records, found 21' },
    { name: 'a negative count', at: 0xa7, byte: 0xff, want: 'expected a count of records, found -1' },
    { name: 'metadata beyond the end', at: 0x7f, byte: 0x7f, want: 'expected' },
  ])('refuses $name', ({ at, byte, want }) => {
    expect(() => [...readSequenceFile(Uint8Array.from(fixture).fill(byte, at, at + 1))]).toThrow(want)
  })

  test('refuses lengths that do not fit their block', () => {
    const writer = createSequenceFileWriter({ ...options, keyClass: 'k' })
    writer.append(encodeVint(1), encodeVint(1))
    const bytes = writer.finish()
    const { end } = readSequenceFileHeader(bytes)
    const length = readVint(bytes, end + 21)
    const lengths = deflateSync(Buffer.of(2))
    const rest = bytes.subarray(length.end + length.value)
    const forged = Buffer.concat([bytes.subarray(0, end + 21), encodeVint(lengths.length), lengths, rest])
    expect(() => [...readSequenceFile(forged)]).toThrow('expected lengths that fit their block, found 2')
  })

  test('reads metadata', () => {
    const pair = Buffer.concat([Buffer.from('00000001', 'hex'), Buffer.from('\x01a\x02bc', 'latin1')])
    const bytes = Buffer.concat([fixture.subarray(0, 0x7f), pair, fixture.subarray(0x83)])
    expect(readSequenceFileHeader(bytes).metadata).toEqual(new Map([['a', 'bc']]))
    expect([...readSequenceFile(bytes)]).toHaveLength(20)
  })
})

describe('encodeSmileValue', () => {
  test('puts the name before the document', () => {
    expect(Buffer.from(encodeSmileValue('é!', Uint8Array.of(0x3a, 0x29)))).toEqual(
      Buffer.from('00000002e9213a29', 'hex'),
    )
  })

  test('refuses a name that ISO-8859-1 does not have', () => {
    expect(() => encodeSmileValue('a日', new Uint8Array())).toThrow(RangeError)
  })
})
