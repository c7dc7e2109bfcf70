import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mainScript } from '../suites/start-command.ts'
import type { MeasureOptions } from './measure.ts'
import { type Core, start, toProfileArgs } from './process.ts'

/** A server to measure, with an empty working directory of its own. */
export type Server = {
  readonly pid: number
  /** `http://127.0.0.1:port`, and the same of the management listener. */
  readonly url: string
  readonly adminUrl: string
  readonly stop: () => Promise<void>
}

/** Certificate and key, as files. */
export type Certificate = { readonly cert: string; readonly key: string }

const here = import.meta.dirname

/** The real process; its embedded file system is at `dataDirectory`/fs. More `settings` as `key=value`; those of the options come last. */
export const startSluice = async (
  { directory, profileDirectory, settings: more }: MeasureOptions,
  dataDirectory: string,
  settings: readonly string[],
  core: Core = 'server',
): Promise<Server> => {
  const all = [
    `data.dir=${dataDirectory}`,
    'server.port=0',
    'admin.port=0',
    'collector.scribe.enabled=false',
    'log.format=json',
    ...settings,
    ...more,
  ]
  const nodeArgs = toProfileArgs(profileDirectory)
  await mkdir(join(dataDirectory, 'fs'), { recursive: true })
  // Only an orderly end writes a profile; the content of the spool is not needed.
  const stopBy = profileDirectory === undefined ? 'SIGKILL' : 'SIGTERM'
  return launch(
    directory,
    mainScript,
    all.flatMap(one => ['--set', one]),
    nodeArgs,
    stopBy,
    core,
  )
}

/** The bare server of `bare-gateway.ts`. */
export const startBareGateway = ({ directory }: MeasureOptions): Promise<Server> =>
  launch(directory, join(here, 'bare-gateway.ts'), [], [], 'SIGKILL')

/** A script of this directory that prints where it listens as the others do. */
export const startScript = (
  { directory }: MeasureOptions,
  name: string,
  args: readonly string[],
  core?: Core,
): Promise<Server> => launch(directory, join(here, name), args, [], 'SIGKILL', core)

/** A server of a few lines, the text of a script that prints where it listens as the others do. */
export const startBare = ({ directory }: MeasureOptions, source: string): Promise<Server> =>
  launch(directory, '-e', [source], [], 'SIGKILL')

const launch = async (
  directory: string,
  script: string,
  args: readonly string[],
  nodeArgs: readonly string[],
  stopBy: 'SIGTERM' | 'SIGKILL',
  core: Core = 'server',
): Promise<Server> => {
  const cwd = await mkdtemp(join(directory, 'run-'))
  const running = await start({ script, args, nodeArgs, core, cwd }, line => line.includes(' is ready"'))
  const { server: url, admin: adminUrl = '' } = JSON.parse(running.line) as { server?: unknown; admin?: unknown }
  if (typeof url !== 'string' || typeof adminUrl !== 'string') {
    throw new Error(`The server printed no address: ${running.line}`)
  }
  return {
    pid: running.pid,
    url,
    adminUrl,
    stop: async () => {
      await running.stop(stopBy)
      await rm(cwd, { recursive: true, force: true })
    },
  }
}
