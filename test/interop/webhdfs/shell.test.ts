/** `hdfs dfs …` through Sluice prints what it prints straight from HDFS, and ends with the same code. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Door, settingsOf, useSluice } from './doors.ts'
import { contents, digest, digestTree, hostileNames, writeContents } from './files.ts'
import { describeHadoopTools, type Printed } from './hadoop-tools.ts'
import { type ShellCommand, shellCommands } from './shell-commands.ts'

const timeoutMs = 600_000
const directory = '/shell'
const none = Buffer.of()
const newline = Buffer.from('\n')

/** A command, and what came of it in words that are the same wherever and whenever it runs. */
type Done = { readonly command: string } & Pick<Printed, 'code' | 'err'> & { readonly out: readonly string[] }
/** All that came of {@link shellCommands}; the digests of the files that they fetched. */
type Session = { readonly done: readonly Done[]; readonly fetched: Readonly<Record<string, string>> }

await describeHadoopTools("Hadoop's shell", (hdfs, tools) => {
  const overHdfs = useSluice('hdfs', settingsOf(hdfs))
  const embedded = useSluice('embedded')
  let files: string
  let want: Session

  beforeAll(async () => {
    files = await mkdtemp(join(tmpdir(), 'sluice-shell-'))
    await writeContents(files)
    want = await runAll({ url: hdfs.webhdfsUrl, kind: 'hdfs' })
  }, 600_000)
  afterAll(async () => {
    await rm(files, { recursive: true, force: true })
  })

  const runAll = async ({ url, kind }: Door): Promise<Session> => {
    const at = url.replace(/^http/, 'webhdfs')
    const fetchedTo = join(files, 'out')
    const run = (args: readonly string[], stdin?: string): Promise<Printed> =>
      tools().run('fs', ['-D', `fs.defaultFS=${at}`, '-D', 'dfs.replication=1', ...args], stdin)
    await mkdir(fetchedTo)
    await run(['-rm', '-r', '-f', '-skipTrash', directory, '.Trash'])
    await run(['-mkdir', directory])
    if (kind === 'hdfs') await fetch(`${url}/webhdfs/v1${directory}?op=ALLOWSNAPSHOT`, { method: 'PUT' })
    const done: Done[] = []
    const started = Date.now()
    for (const command of shellCommands(directory, files)) {
      const printed = await run(command.args, command.stdin)
      done.push(toDone(command, printed, started, text => text.replaceAll(at, 'webhdfs://door').replaceAll(files, '~')))
    }
    const fetched = await digestTree(fetchedTo)
    await rm(fetchedTo, { recursive: true })
    return { done, fetched }
  }

  test('is tried with commands that mostly succeed, on HDFS itself', () => {
    expect(want.done.filter(({ code }) => code === 0).length).toBeGreaterThan(120)
    expect(new Set(want.done.map(({ code }) => code))).toEqual(new Set([0, 1]))
    const { 'big.bin': big = none, 'lines.txt': lines = none, two = none, zero = none } = contents
    expect(want.fetched).toMatchObject({ 'big.bin': digest(big), zero: digest(zero) })
    expect(want.fetched).toMatchObject({ 'twice.bin': digest(Buffer.concat([big, big])) })
    expect(want.fetched).toMatchObject({ merged: digest(Buffer.concat([two, newline, lines, newline])) })
    for (const name of hostileNames) {
      expect(want.fetched[`names/${name}`]).toBe(digest(contents[`names/${name}`] ?? none))
    }
  })

  test('over HDFS: the output is the same', { timeout: timeoutMs }, async () => {
    const got = await runAll(overHdfs())
    expect(got.done).toEqual(want.done)
    expect(got.fetched).toEqual(want.fetched)
  })

  test('over the embedded file system: the same, except features that it lacks', { timeout: timeoutMs }, async () => {
    const got = await runAll(embedded())
    const others = shellCommands(directory, '~').map(({ embedded: { out, ...other } = {} }) => ({
      ...other,
      ...(out !== undefined && { out: out.split('\n') }),
    }))
    const wanted = want.done.map((done, i) => ({ ...onEmbedded(done), ...others[i] }))
    expect(got.done.map(onEmbedded)).toEqual(wanted)
    expect(got.fetched).toEqual(want.fetched)
  })
})

/**
 * Owners are those of the machine, of copies there is one, directories on the way to a new one get the usual permission,
 * and stack traces tell nothing.
 */
const onEmbedded = (done: Done): Done => ({
  ...done,
  out: done.out.map(line =>
    line
      .replace(/^([d-][-rwxtT]{9}) +[-\d]+ \S+ +\S+ +/, '$1 ')
      .replace(/^drwx------(?=.*\.Trash\/\w+(\/shell)?$)/, 'drwxr-xr-x'),
  ),
  err: done.err.replaceAll(/^\tat .*\n/gm, ''),
})

const timePattern = /\b20\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?\b/g

const toDone = (
  { args, exactTimes }: ShellCommand,
  { code, out, err }: Printed,
  started: number,
  toCommon: (text: string) => string,
): Done => {
  const common = (text: string): string => {
    const places = toCommon(text).replaceAll(/\.Trash\/\d{12}/g, '.Trash/checkpoint')
    if (args[0] === '-df') return places.replaceAll(/ +/g, ' ').replaceAll(/\b\d+\b/g, 'n')
    return exactTimes ? places : places.replaceAll(timePattern, time => (isRecent(time, started) ? 'now' : time))
  }
  return { command: common(args.join(' ')), code, out: common(String(out)).split('\n'), err: common(err) }
}

/** Whether it is of this session, to the minute that is printed. */
const isRecent = (time: string, started: number): boolean => {
  const at = Date.parse(`${time.replace(' ', 'T')}Z`)
  return at > started - 60_000 && at < Date.now() + 1_000
}
