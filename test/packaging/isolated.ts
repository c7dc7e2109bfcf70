/** A program in a root directory of its own, as container engines and init systems run it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export type Isolation = {
  /** Its root. What it may write are {@link volumes} and `/tmp`; all else is read-only. */
  readonly root: string
  /** Directories of this machine, by the path below {@link root} where they are mounted. */
  readonly volumes: Readonly<Record<string, string>>
  /** User and group by number, as `10001:10001`. */
  readonly user: string
  readonly directory: string
  /** Whether `/proc` has processes and nothing else, as systemd's `ProcSubset=pid`. @default false */
  readonly hasOnlyProcesses?: boolean
  /** All of its variables. */
  readonly env: Readonly<Record<string, string>>
}

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** The first process of its own name spaces of processes, mounts and networks: nothing but it listens there. */
export type Isolated = {
  /** As this machine counts. */
  readonly pid: number
  /** What it has printed. */
  output(): string
  /** Resolves to the first line with this text, or rejects when it ends before. */
  printed(text: string): Promise<string>
  /** Runs a command beside it, as `docker exec` does. */
  exec(words: readonly string[]): Promise<Ran>
  /** Sends a signal; resolves to the exit code, which is not 0 where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export const startIsolated = async (words: readonly string[], isolation: Isolation): Promise<Isolated> => {
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--net',
      '--ipc',
      '--uts',
      '--fork',
      '--kill-child=KILL',
      'sh',
      '-ec',
      enter(isolation),
      'sh',
      ...words,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let isOver = false
  void exited.then(() => {
    isOver = true
    for (const look of waiting) look()
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', line => {
      lines.push(line)
      for (const look of waiting) look()
    })
  }
  const firstProcess = (): number => Number(childrenOf(child.pid ?? 0)[0])
  return {
    get pid() {
      return firstProcess()
    },
    output: () => lines.join('\n'),
    printed: text =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(line => line.includes(text))
          if (found === undefined && !isOver) return
          waiting.delete(look)
          if (found === undefined) reject(new Error(`It ended without ${JSON.stringify(text)}:\n${lines.join('\n')}`))
          else resolve(found)
        }
        waiting.add(look)
        look()
      }),
    exec: words => execBeside(firstProcess(), words, isolation),
    end: async signal => {
      if (!isOver) process.kill(firstProcess(), signal)
      return await exited
    },
  }
}

/** Children of a process of this machine. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** What an engine does before the first process runs, as a script for sh; the words of the program are its arguments. */
const enter = ({ root, volumes, user, directory, env, hasOnlyProcesses = false }: Isolation): string =>
  [
    `mount --bind ${quote(root)} ${quote(root)}`,
    ...Object.entries(volumes).map(([path, from]) => `mount --bind ${quote(from)} ${quote(root + path)}`),
    `mount -t proc ${hasOnlyProcesses ? '-o subset=pid ' : ''}proc ${quote(`${root}/proc`)}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${quote(`${root}/tmp`)}`,
    `mount --rbind /dev ${quote(`${root}/dev`)}`,
    `mount -o remount,bind,ro ${quote(root)}`,
    'ip link set lo up',
    `exec setpriv --no-new-privs chroot --userspec=${user} --groups= ${quote(root)} env -i -C ${quote(directory)} ${toAssignments(env).map(quote).join(' ')} "$@"`,
  ].join('\n')

const execBeside = (pid: number, words: readonly string[], { user, env }: Isolation): Promise<Ran> => {
  const [uid = '', gid = ''] = user.split(':')
  const as = ['--setuid', uid, '--setgid', gid, 'env', '-i', ...toAssignments(env), ...words]
  return new Promise(resolve => {
    const args = ['--target', String(pid), '--mount', '--pid', '--net', '--root', '--wd', ...as]
    const process: ChildProcess = execFile('nsenter', args, (_error, stdout, stderr) =>
      resolve({ code: process.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const toAssignments = (env: Isolation['env']): readonly string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
