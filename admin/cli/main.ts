/** The process behind `sluice`: finds the command, and turns whatever it throws into words and an exit code. */
import { fileURLToPath } from 'node:url'
import { Config } from '@oclif/core/config'
import { flush } from '@oclif/core/flush'
import packageJson from '../../package.json' with { type: 'json' }
import { siblingModule } from '../../src/runtime/module-url.ts'
import { nearest } from '../../src/text/nearest.ts'
import { type Failure, toFailure } from './command/failure.ts'
import { commandLoaders } from './command-loaders.ts'
import { styleError } from './print/style.ts'
import { printLine, writeError } from './print/terminal.ts'
import { toShownJson } from './print/to-json.ts'

const main = async (argv: readonly string[]): Promise<void> => {
  // The reader of a pipe has seen enough (`| head`): that is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // `sluice help beans get` is `sluice beans get --help`.
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
  try {
    const found = findCommand(words)
    if (found && !asksForHelp(words, found)) await runCommand(found)
    else await runOclif(words)
    await flush()
  } catch (error) {
    const failure = toFailure(error)
    if (isQuietExit(error)) process.exitCode = failure.exitCode
    else report(withSuggestion(failure), words)
  }
}

type Found = { readonly id: string; readonly rest: readonly string[] }

/** The command that the first words name. */
const findCommand = (words: readonly string[]): Found | undefined => {
  for (let length = Math.min(words.length, maxCommandWords); length > 0; length--) {
    const id = words.slice(0, length).join(':')
    if (Object.hasOwn(commandLoaders, id) && id !== needsAll) return { id, rest: words.slice(length) }
  }
  return undefined
}

const maxCommandWords = 3

/** The command that needs all others. */
const needsAll = 'completion'

const asksForHelp = (words: readonly string[], found?: Found): boolean =>
  beforeDashes(words).some(word => word === '--help' || (word === '-h' && found?.id !== takesHuman))

/** The command whose `-h` is Hadoop's: sizes with units. */
const takesHuman = 'fs:du'

/** The short way: of all commands only this one is loaded. */
const runCommand = async ({ id, rest }: Found): Promise<void> => {
  const command = await commandLoaders[id]?.()
  if (!command) throw new TypeError(`Command ${id} has no loader`)
  command.id = id
  await command.run(id.startsWith('fs:') ? toLongFlags(rest, command.flags) : [...rest], await loadConfig(false))
}

/** `-name` of `hadoop fs` is `--name`, where the command has that flag. */
const toLongFlags = (words: readonly string[], flags: Readonly<Record<string, unknown>>): string[] => {
  const before = beforeDashes(words).map(word => {
    const [, name = ''] = /^-([a-z][a-z0-9]+)(=|$)/.exec(word) ?? []
    return Object.hasOwn(flags, name) ? `-${word}` : word
  })
  return [...before, ...words.slice(before.length)]
}

/** The slow path: help, and unknown commands. */
const runOclif = async (words: readonly string[]): Promise<void> => {
  const { run } = await import('@oclif/core/run')
  await run([...words], await loadConfig(true))
}

const beforeDashes = (words: readonly string[]): readonly string[] => {
  const end = words.indexOf('--')
  return end < 0 ? words : words.slice(0, end)
}

const loadConfig = async (withCommands: boolean): Promise<Config> => {
  const commandsPath = fileURLToPath(siblingModule(import.meta.url, 'commands'))
  return Config.load({
    root: fileURLToPath(new URL('.', import.meta.url)),
    isRoot: true,
    pjson: {
      name: 'sluice',
      version: packageJson.version,
      oclif: {
        bin: 'sluice',
        dirname: 'sluice',
        description: 'Collects events into HDFS, serves its files, and steers both.',
        topicSeparator: ' ',
        additionalHelpFlags: ['-h'],
        ...(withCommands
          ? { commands: { strategy: 'explicit' as const, target: commandsPath, identifier: 'commands' } }
          : {}),
        topics,
      },
    },
  })
}

const topics = {
  beans: { description: 'Watch and steer everything by name.' },
  flush: { description: 'Bring events to the file system, or hold them back.' },
  fs: { description: 'Files of the cluster, through the gateway.' },
  realtime: { description: 'Forwarding to the broker.' },
  schema: { description: 'What events have to be.' },
  spool: { description: "The collector's local files, without a server." },
  'spool quarantine': { description: 'What could not be stored.' },
  token: { description: 'Bearer tokens.' },
}

const report = ({ exitCode, ...failure }: Failure, argv: readonly string[]): void => {
  process.exitCode = exitCode
  if (asksForJson(beforeDashes(argv))) {
    printLine(toShownJson({ error: failure }))
    return
  }
  const { message, hint } = failure
  writeError(`${styleError('red', '✗')} ${message}\n${hint === undefined ? '' : `  ${styleError('dim', hint)}\n`}`)
}

/** With `send`, `--json` is followed by fields. */
const asksForJson = (words: readonly string[]): boolean =>
  words.some((word, i) =>
    /^(-o|--output)$/.test(word)
      ? words[i + 1] === 'json'
      : /^(--output=json|-o=?json)$/.test(word) || (word === '--json' && words[0] !== 'send'),
  )

/** `--help` and the like end by an exception without words. */
const isQuietExit = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIT'

const withSuggestion = (failure: Failure): Failure => {
  const [, id] = /^command (.+) not found$/.exec(failure.message) ?? []
  if (id === undefined) return failure
  const words = id.split(':')
  const word = words.join(' ')
  const known = Object.keys(commandLoaders).map(one => one.replaceAll(':', ' '))
  // Arguments may follow: the first words alone may be the command that was meant.
  const near = words.flatMap((_, i) => nearest(words.slice(0, words.length - i).join(' '), known) ?? [])[0]
  const hint = near === undefined ? 'All commands: `sluice --help`.' : `Did you mean \`sluice ${near}\`?`
  return { ...failure, code: 'usage', message: `There is no command ${word}`, hint }
}

// Not awaited: when the reader of a pipe is gone the work may never settle, and Node would warn and exit with 13.
void main(process.argv.slice(2))
