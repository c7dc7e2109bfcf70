import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parsePeriod } from '../../../../src/compaction/files/parse-period.ts'
import { planFiles } from '../../../../src/compaction/files/plan-files.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../../src/filesystem/local.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { later, namesIn, toOptions, write } from './world.ts'

const hourMs = 3_600_000
const at = (text: string): number => Date.parse(`${text}Z`) / hourMs

test.each<[directory: string, period: [string, string] | undefined]>([
  ['/events/Order/2026', ['2026-01-01T00:00', '2027-01-01T00:00']],
  ['/events/Order/2026/02', ['2026-02-01T00:00', '2026-03-01T00:00']],
  ['/events/Order/2026/11/22', ['2026-11-22T00:00', '2026-11-23T00:00']],
  ['/events/Order/2026/11/22/08', ['2026-11-22T08:00', '2026-11-22T09:00']],
  ['/events/Order/2026/11/22/08/30', ['2026-11-22T08:00', '2026-11-22T09:00']],
  ['/events/Order/dt=2026-11-22', ['2026-11-22T00:00', '2026-11-23T00:00']],
  ['/events/Order/dt=2026-11-22/hour=23', ['2026-11-22T23:00', '2026-11-23T00:00']],
  ['/events/Order/2026/13', undefined],
  ['/events/Order/2026/02/30', undefined],
  ['/events/Order/dt=2026-02-30/hour=01', undefined],
  ['/events/Order/v2026', undefined],
  ['/logs/web', undefined],
])('the hours of %s', (directory, period) => {
  expect(parsePeriod(directory)).toEqual(period && { from: at(period[0]), to: at(period[1]) })
})

/** Two files of each directory, written at a time. */
const plan = async (files: Readonly<Record<string, string>>, others: Parameters<typeof toOptions>[1] = {}) => {
  let time = 0
  const fileSystem = createMemoryFileSystem({ now: () => time })
  for (const [directory, written] of Object.entries(files)) {
    time = Date.parse(`${written}Z`)
    for (const name of ['a', 'b']) await write(fileSystem, `${directory}/${name}.jsonl`, '{"a":1}\n')
  }
  const found = await planFiles(toOptions(fileSystem, others), '/events')
  return { fileSystem, found, directories: found.merges.map(({ directory }) => directory) }
}

const yesterday = '2026-11-22T08:30'

test.each<[what: string, directory: string, written: string, isFound: boolean]>([
  ['a closed hour', '/events/O/2026/11/22/22', '2026-11-22T22:59', true],
  ['an hour that is open for ten minutes more', '/events/O/2026/11/22/23', '2026-11-22T23:10', false],
  ['the open hour', '/events/O/2026/11/23/00', '2026-11-22T23:10', false],
  ['a day that is not over', '/events/O/2026/11/23', yesterday, false],
  ['a late file, at rest', '/events/O/2026/11/20/08', '2026-11-22T23:50', true],
  ['a late file, perhaps on its way', '/events/O/2026/11/20/08', '2026-11-22T23:51', false],
  ['no hours in the name: by the time of the file', '/events/O/plain', '2026-11-22T22:59', true],
  ['the same, of an hour that is not closed', '/events/O/plain', '2026-11-22T23:01', false],
  ['a hidden name', '/events/_tmp/x', yesterday, false],
  ['a log', '/events/_log/x', yesterday, false],
  ['a hidden directory', '/events/O/.stage', yesterday, false],
])('which files are found: %s', async (_, directory, written, isFound) => {
  const { directories } = await plan({ [directory]: written })
  expect(directories).toEqual(isFound ? [directory] : [])
})

test('--from and --to are hours of the names, or of the files', async () => {
  const range = { from: at('2026-11-22T08:00'), to: at('2026-11-22T10:00') }
  const { directories } = await plan(
    {
      '/events/O/2026/11/22/07': yesterday,
      '/events/O/2026/11/22/08': yesterday,
      '/events/O/2026/11/22/09': yesterday,
      '/events/O/2026/11/22/10': yesterday,
      '/events/O/2026/11/22': yesterday,
      '/events/before': '2026-11-22T07:59',
      '/events/in': '2026-11-22T09:59',
      '/events/behind': '2026-11-22T10:00',
    },
    range,
  )
  expect(directories.sort()).toEqual(['/events/O/2026/11/22/08', '/events/O/2026/11/22/09', '/events/in'])
})

test('files of a table are left, by its path and by one within it', async () => {
  const { fileSystem, found } = await plan({ '/events/T/data/eventDate_hour=2026-11-22-08': yesterday })
  expect(found.merges).toHaveLength(1)
  await write(fileSystem, '/events/T/metadata/version-hint.text', '1')
  for (const path of ['/events', '/events/T', '/events/T/data', '/events/T/data/eventDate_hour=2026-11-22-08']) {
    const { merges, left } = await planFiles(toOptions(fileSystem), path)
    expect([merges, left], path).toEqual([
      [],
      [{ path: '/events/T', reason: 'it is a table; compact it by its own path' }],
    ])
  }
})

test.each([
  ['metadata', 'it is a table; compact it by its own path'],
  ['_delta_log', 'it is a Delta table'],
  ['.hoodie', 'it is a Hudi table'],
  ['_spark_metadata', 'Spark reads only the files that "_spark_metadata" names'],
])(
  'files of a table that stay where they were, with %s beside them, are left by a path at any depth',
  async (name, reason) => {
    const { fileSystem } = await plan({ '/events/T/dt=2026-11-22/hour=08': yesterday })
    await write(fileSystem, `/events/T/${name}/0`, '1')
    for (const path of ['/', '/events', '/events/T', '/events/T/dt=2026-11-22', '/events/T/dt=2026-11-22/hour=08']) {
      const { merges, left } = await planFiles(toOptions(fileSystem), path)
      expect([merges, left], path).toEqual([[], [{ path: '/events/T', reason }]])
    }
  },
)

test('a table whose directories may not be listed from above is no reason to stop', async () => {
  const fileSystem = createMemoryFileSystem({
    now: () => later - 86_400_000,
    fail: (operation, path) =>
      operation === 'listStatus' && (path === '/' || path === '/events')
        ? new FileSystemError('denied', path, 'denied')
        : undefined,
  })
  for (const name of ['a', 'b']) await write(fileSystem, `/events/O/${name}.jsonl`, '{"a":1}\n')
  const { merges } = await planFiles(toOptions(fileSystem), '/events/O')
  expect(merges).toHaveLength(1)
})

test('symbolic links are left, and named', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-find-files-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const fileSystem = await createLocalFileSystem({ root })
  for (const path of ['/T/data/a', '/T/data/b', '/logs/a', '/logs/b', '/other/c']) {
    await write(fileSystem, `${path}.jsonl`, '{"a":1}\n')
    await fileSystem.hadoop?.setTimes?.(`${path}.jsonl`, { modificationTime: later - 86_400_000 })
  }
  await write(fileSystem, '/T/metadata/version-hint.text', '1')
  await symlink(join(root, 'T/data'), join(root, 'logs/data'))
  await symlink(join(root, 'other/c.jsonl'), join(root, 'logs/c.jsonl'))
  await symlink(join(root, 'logs/a.jsonl'), join(root, 'logs/d.jsonl'))
  const reason = 'it is a symbolic link'
  const { merges, left } = await planFiles(toOptions(fileSystem), '/logs')
  expect(merges.map(({ files }) => files.map(({ status }) => status.path))).toEqual([
    ['/logs/a.jsonl', '/logs/b.jsonl'],
  ])
  expect(left).toEqual(['c.jsonl', 'd.jsonl', 'data'].map(name => ({ path: `/logs/${name}`, reason })))
  for (const path of ['/logs/data', '/logs/data/hour=08'])
    expect(await planFiles(toOptions(fileSystem), path), path).toEqual({
      merges: [],
      claimed: [],
      left: [{ path: '/logs/data', reason }],
    })
})

test('large files stay, and several of the target size are made', async () => {
  const fileSystem = createMemoryFileSystem({ now: () => later - 86_400_000 })
  const line = `{"a":"${'x'.repeat(90)}"}\n`
  for (const [name, lines] of [
    ['a', 80],
    ['aa', 10],
    ['b', 30],
    ['c', 30],
    ['d', 50],
    ['e', 20],
    ['f', 5],
  ] as const)
    await write(fileSystem, `/events/${name}.jsonl`, line.repeat(lines))
  const { merges } = await planFiles(toOptions(fileSystem, { targetBytes: 100 * line.length }), '/events')
  const names = merges.map(({ files }) => files.map(({ status }) => status.path.slice('/events/'.length)).join(' '))
  expect(names).toEqual(['aa.jsonl b.jsonl c.jsonl', 'd.jsonl e.jsonl f.jsonl'])
  expect(await namesIn(fileSystem, '/events')).toHaveLength(7)
})
