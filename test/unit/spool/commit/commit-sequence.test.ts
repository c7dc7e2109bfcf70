import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { type CommitContext, commitFile } from '../../../../src/spool/commit/commit.ts'
import type { BucketFile, FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createMemoryFileSystem, type MemoryFault, type MemoryOperation } from '../../../suites/memory-filesystem.ts'
import { disturbed, undisturbed } from './commit-steps.ts'

const text = '0123456789'
const target = '/events/f.jsonl'
const file: BucketFile = {
  name: 'f.jsonl',
  directory: '/events',
  segment: 1,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  events: 1,
  oldest: 0,
  length: text.length,
  crc: crc32(text),
}
const noted = '/events/_tmp/id/f.jsonl.noted'

/** What a start finds: what the ledger says, and what is in the file system. */
const starts = {
  sealed: { state: { at: 'sealed' }, files: {} },
  'moving, not renamed': { state: { at: 'moving', temporary: noted }, files: { [noted]: text } },
  'moving, cut': { state: { at: 'moving', temporary: noted }, files: { [noted]: text.slice(0, 5) } },
  'moving, renamed': { state: { at: 'moving', temporary: noted }, files: { [target]: text } },
  'moving, under both names': { state: { at: 'moving', temporary: noted }, files: { [noted]: text, [target]: text } },
  'moving, gone': { state: { at: 'moving', temporary: noted }, files: {} },
  'moving, another has its name': {
    state: { at: 'moving', temporary: noted },
    files: { [noted]: text, [target]: 'abcdefghij' },
  },
  'sealed, another has its name': { state: { at: 'sealed' }, files: { [target]: 'abcdefghij' } },
  'sealed, a longer one has its name': { state: { at: 'sealed' }, files: { [target]: `${text}x` } },
  'sealed, its copy is damaged': { state: { at: 'sealed' }, files: {}, copy: '012345678x' },
  'sealed, its copy is damaged, in its place': { state: { at: 'sealed' }, files: { [target]: text }, copy: '01' },
} as const satisfies Record<string, { state: FileRecord['state']; files: Record<string, string>; copy?: string }>

const unavailable = (path: string): MemoryFault => new FileSystemError('unavailable', path, 'away')
const faults: Readonly<Record<string, (path: string) => MemoryFault>> = {
  away: unavailable,
  'not found': path => new FileSystemError('not-found', path, 'a late retry'),
  denied: path => new FileSystemError('denied', path, 'no'),
  'lost reply': () => 'lost-reply',
  torn: () => 'torn',
  short: () => 'short',
  cut: () => 'cut',
}

type Fault = { readonly operation: MemoryOperation; readonly name: string; readonly times: number }

/** The calls of the file system and the entries of the ledger of one commit, in their order, and how it ends. */
const run = async (start: keyof typeof starts, fault?: Fault, isUnmade = false): Promise<string> => {
  const { state, files, ...more } = starts[start]
  const steps: string[] = []
  let isReady = false
  let left = fault?.times ?? 0
  const fileSystem = createMemoryFileSystem({
    fail: (operation, path) => {
      if (!isReady) return undefined
      const isFaulty = operation === fault?.operation && left-- > 0
      steps.push(`${operation}${path === target ? ' target' : ''}${isFaulty ? '!' : ''}`)
      return isFaulty ? faults[fault.name]?.(path) : undefined
    },
  })
  for (const [path, content] of Object.entries(files)) await fileSystem.create(path, chunksOf(content))
  isReady = true
  let ms = 0
  const context: CommitContext = {
    disk: { stream: () => chunksOf('copy' in more ? more.copy : text) },
    ledger: {
      append: async (...entries) => void steps.push(...entries.map(({ type }) => type.toUpperCase())),
    },
    fileSystem,
    temporaryDirectory: '/events/_tmp/id',
    uploading: new Set(),
    doubtful: new Set(),
    isUnmade: () => isUnmade,
    now: () => ms++,
    signal: new AbortController().signal,
  }
  const outcome = await commitFile(context, { file, state }).catch((error: unknown) => {
    if (error instanceof FileSystemError) return `${error.constructor.name} ${error.code}`
    return error instanceof Error ? error.constructor.name : error
  })
  return [...steps, '→', outcome].join(' ')
}

test.for(Object.entries(undisturbed))('a commit of what is %s takes these steps', async ([start, steps]) => {
  expect(await run(start as keyof typeof starts)).toBe(steps)
})

test.for([
  ['moving, renamed', undisturbed['moving, renamed']],
  ['moving, not renamed', undisturbed['moving, not renamed']],
  ['moving, gone', undisturbed['moving, gone']],
  ['moving, cut', 'getFileStatus getFileStatus target REQUEUED → unmade'],
  ['sealed', '→ unmade'],
] as const)('of a file that is yet to be made again and is %s nothing is sent', async ([start, steps]) => {
  expect(await run(start, undefined, true)).toBe(steps)
})

/** Each call that a commit makes, once and for as long as it lasts, with each fault. */
test.for(Object.entries(disturbed))(
  'a commit of what is %s takes these steps with each fault of each call',
  async ([start, rows]) => {
    const table: Record<string, string> = {}
    for (const operation of ['create', 'getFileStatus', 'rename', 'open', 'delete'] as const)
      for (const name of Object.keys(faults))
        for (const times of [1, Number.POSITIVE_INFINITY]) {
          const steps = await run(start as keyof typeof starts, { operation, name, times })
          if (steps.includes('!')) table[`${operation} ${name} ${times === 1 ? 'once' : 'always'}`] = steps
        }
    expect(table).toEqual(rows)
  },
)

test('a temporary file is known for as long as other code must not remove it: while it is sent, and where the note of it failed', async () => {
  const uploading = new Set<string>()
  const doubtful = new Set<string>()
  const seen: string[] = []
  const look = (step: string): void => void seen.push(`${step}: ${uploading.size} uploading, ${doubtful.size} doubtful`)
  const commit = (append: () => Promise<void>) =>
    commitFile(
      {
        disk: { stream: () => chunksOf(text) },
        ledger: { append },
        fileSystem: createMemoryFileSystem({
          fail: operation => {
            look(operation)
            return undefined
          },
        }),
        temporaryDirectory: '/events/_tmp/id',
        uploading,
        doubtful,
        now: () => 1,
        signal: new AbortController().signal,
      },
      { file, state: { at: 'sealed' } },
    )
  await commit(async () => look('ledger'))
  expect(seen).toEqual([
    'create: 1 uploading, 0 doubtful',
    'getFileStatus: 1 uploading, 0 doubtful',
    'ledger: 1 uploading, 1 doubtful',
    'rename: 0 uploading, 0 doubtful',
    'ledger: 0 uploading, 0 doubtful',
  ])
  const full = new Error('the disk is full')
  await expect(commit(() => Promise.reject(full))).rejects.toBe(full)
  expect([[...uploading], [...doubtful]]).toEqual([[], ['/events/_tmp/id/f.jsonl.1']])
})
