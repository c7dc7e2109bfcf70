/** Sequence files by Hadoop's own writer, read by ours; and the collector's, read by Hadoop's own reader. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHadoop, hadoopVersion, hdfsHome, missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { findJava } from '../../scripts/jvm/maven.ts'
import type { CodecName } from '../../src/codecs/codecs.ts'
import { readSequenceFile } from '../../src/formats/sequence-file/reader.ts'
import { encodeRecord, readRecords } from '../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { createEncoder } from '../../src/spool/events/encoders.ts'
import { runCli } from '../suites/run-cli.ts'
import { readJson } from '../unit/rows/files.ts'

const program = fileURLToPath(new URL('../fixtures/hadoop/WriteSequenceFiles.java', import.meta.url))
const reader = fileURLToPath(new URL('../fixtures/hadoop/ReadSequenceFiles.java', import.meta.url))
const lines = 5_000

/** A bucket file of some thousand events, as it is sealed. */
const sealedFile = (kind: 'smile' | 'thrift', codec: CodecName): Uint8Array => {
  const encoder = createEncoder('sequencefile', kind, { codec, envelope: true })
  const head = { index: 0, name: 'Hello', date: 0, granularity: 'HOURLY' } as const
  for (let i = 0; i < 5_000; i++) {
    const text = `event ${i} ${'x'.repeat(i % 500)}`
    if (kind === 'smile') encoder.add({ kind, head, payload: { i, text }, isTyped: true })
    else {
      const payload = encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from(text) }])
      const bytes = encodeRecord({ date: 0, granularity: 'HOURLY', typeName: 'Hello', payload })
      for (const record of readRecords(bytes)) encoder.add({ kind, head, record, bytes })
    }
  }
  return encoder.finish()
}

const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()
// No HDFS is started for this, only Hadoop's classes are used.
const isRequired = (process.env['SLUICE_REQUIRE'] ?? '').split(',').includes('hdfs')
if (missing && isRequired) throw new Error(`SLUICE_REQUIRE has "hdfs", but ${missing}`)
if (missing) console.warn(`skipped sequence files by Hadoop: ${missing}`)

describe.skipIf(missing)('sequence files by Hadoop', () => {
  let directory = ''
  let output = ''
  let library = ''
  let java = 'java'

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-sequence-files-'))
    library = await fetchHadoop({ home: hdfsHome(), version: hadoopVersion(), log: line => console.log(line) })
    java = (await findJava()) ?? 'java'
    const run = promisify(execFile)
    output = (await run(java, ['-cp', join(library, '*'), program, directory, String(lines)])).stdout
  }, 600_000)

  afterAll(() => rm(directory, { recursive: true, force: true }))

  const read = async (name: string, raw = false): Promise<string[]> =>
    readJson(name, await readFile(join(directory, name)), { raw })

  test.each([
    { name: 'int', want: ['-5', '2147483647'] },
    { name: 'long', want: ['-9223372036854775808', '42'] },
    { name: 'vint', want: ['-1', '1000000'] },
    { name: 'vlong', want: ['-9223372036854775808', '-113'] },
    { name: 'short', want: ['-2'] },
    { name: 'byte', want: ['-3'] },
    { name: 'boolean', want: ['true', 'false'] },
    { name: 'float', want: ['0.1', '3.0'] },
    { name: 'double', want: ['0.00001', '-0.0', '10000000000.0'] },
    { name: 'null', want: ['null', 'null'] },
  ])('values of class $name', async ({ name, want }) => {
    expect(await read(`class-${name}.seq`)).toEqual(want.map(value => `{"col-0":${value}}`))
  })

  test('values of classes Text and BytesWritable', async () => {
    const text = ['{"col-0":"a","col-1":"b"}', '{"col-0":"héllo"}', '{"col-0":""}', `{"col-0":"${'x'.repeat(300)}"}`]
    expect(await read('class-text.seq')).toEqual(text)
    expect(await read('class-bytes.seq')).toEqual(['{"col-1":"hello"}', '{"col-1":"/wA="}'])
  })

  test('are text as Java writes it when they are not decoded', async () => {
    expect(await read('class-double.seq', true)).toEqual(
      ['1.0E-5', '-0.0', '1.0E10'].map(text => `{"record":"${text}"}`),
    )
    expect(await read('class-bytes.seq', true)).toEqual(['{"record":"68 65 6c 6c 6f"}', '{"record":"ff 00"}'])
    expect(await read('class-null.seq', true)).toEqual(Array(2).fill('{"record":"(null)"}'))
  })

  test("of the collector are read by Hadoop's own reader, whatever the compression", async () => {
    const codecs = { none: 'DefaultCodec', deflate: 'DefaultCodec', gzip: 'GzipCodec', zstd: 'ZStandardCodec' }
    const want: string[] = []
    const files: string[] = []
    for (const codec of ['none', 'deflate', 'gzip', 'zstd'] as const) {
      for (const kind of ['smile', 'thrift'] as const) {
        const file = join(directory, `ours-${kind}-${codec}.seq`)
        const bytes = sealedFile(kind, codec)
        await writeFile(file, bytes)
        let crc = 0
        let records = 0
        for (const { key, value } of readSequenceFile(bytes)) {
          crc = crc32(value, crc32(key, crc))
          records++
        }
        files.push(file)
        want.push(`${basename(file)} ${codecs[codec]} BLOCK ${records} ${crc}`)
      }
    }
    const classPath = join(library, '*')
    const { stdout } = await promisify(execFile)(java, ['-cp', classPath, reader, ...files])
    // Hadoop has zstd in its native library only, which is not everywhere.
    const got = stdout.trim().split('\n')
    const lost = got.filter(line => /^ours-\w+-zstd\.seq .*native/.test(line))
    if (lost.length > 0) console.log(`not read: ${lost.join('; ')}`)
    expect(got.filter(line => !lost.includes(line))).toEqual(
      want.filter(line => !lost.some(one => one.split(' ')[0] === line.split(' ')[0])),
    )
  })

  test("that compaction made one of Hadoop's, or of the collector's, are read by Hadoop's own reader", async () => {
    const root = join(directory, 'compacted')
    const sources: Readonly<Record<string, Uint8Array>> = {
      'NONE-none': await readFile(join(directory, 'lines-NONE-none.seq')),
      'RECORD-Default': await readFile(join(directory, 'lines-RECORD-Default.seq')),
      'BLOCK-Default': await readFile(join(directory, 'lines-BLOCK-Default.seq')),
      smile: sealedFile('smile', 'gzip'),
      thrift: sealedFile('thrift', 'none'),
    }
    const anHour = new Date(Date.now() - 3 * 3_600_000)
    const want: string[] = []
    for (const [name, bytes] of Object.entries(sources)) {
      await mkdir(join(root, 'fs', name), { recursive: true })
      let crc = 0
      let records = 0
      for (const copy of ['a', 'b', 'c']) {
        await writeFile(join(root, 'fs', name, `${copy}.seq`), bytes)
        await utimes(join(root, 'fs', name, `${copy}.seq`), anHour, anHour)
        for (const { key, value } of readSequenceFile(bytes)) {
          crc = crc32(value, crc32(key, crc))
          records++
        }
      }
      want.push(`${records} ${crc}`)
    }
    const { code, stdout, stderr } = await runCli(['compact', '/', '--yes', '--json', '--set', `data.dir=${root}`])
    expect(code, stdout + stderr).toBe(0)
    const files: string[] = []
    for (const name of Object.keys(sources)) {
      const found = await readdir(join(root, 'fs', name))
      expect(found).toEqual([expect.stringMatching(/^compacted-.*\.seq$/)])
      files.push(join(root, 'fs', name, found[0] ?? ''))
    }
    const read = await promisify(execFile)(java, ['-cp', join(library, '*'), reader, ...files])
    const got = read.stdout.trim().split('\n')
    expect(got.map(line => line.split(' ').slice(-2).join(' '))).toEqual(want)
  })

  test.each([
    { name: 'repeats-105.txt.bz2', line: 'a'.repeat(95), count: 105 },
    { name: 'repeats-10000.txt.bz2', line: `${'ab'.repeat(47)}c`, count: 10_000 },
    { name: 'repeats.seq', line: 'a'.repeat(95), count: lines },
  ])('blocks of bzip2 that its writer in Java randomises: $name', async ({ name, line, count }) => {
    expect(await read(name)).toEqual(Array(count).fill(`{"col-0":"${line}"}`))
    // A block's flag is behind the names of stream and block, and its checksum.
    const bytes = await readFile(join(directory, name))
    if (name.endsWith('.bz2')) expect((bytes[14] ?? 0) >> 7).toBe(1)
  })

  test('are read whatever the compression', async () => {
    const names = (await readdir(directory)).filter(name => name.startsWith('lines-') && name.endsWith('.seq'))
    const kinds = names.map(name => basename(name, '.seq').slice('lines-'.length))
    const lost = output.split('\n').filter(line => line.startsWith('without'))
    console.log(`compressed by Hadoop: ${kinds.join(', ')}; ${lost.join('; ')}`)
    expect(kinds).toEqual(expect.arrayContaining(['NONE-none', 'RECORD-Default', 'BLOCK-Default', 'BLOCK-BZip2']))
    for (const name of names) {
      // A codec that fails leaves a file with a header at most.
      if (lost.some(line => line.includes(kinds[names.indexOf(name)]?.replace('-', ' ') ?? name))) continue
      const rows = await read(name)
      const count = name.includes('RECORD') ? 500 : lines
      const want = Array.from({ length: count }, (_, i) => `{"col-0":"${i}","col-1":"line ${i} é","col-2":"end"}`)
      expect(rows, name).toEqual(want)
    }
  })
})
