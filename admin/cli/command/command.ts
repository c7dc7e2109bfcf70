import { resolve } from 'node:path'
import { Command } from '@oclif/core/command'
import type { Config } from '@oclif/core/config'
import * as Flags from '@oclif/core/flags'
import type { ArgInput, FlagInput } from '@oclif/core/interfaces'
import type { RpcClient } from '../../client/rpc-client.ts'
import type { GatewayCalls } from '../files/gateway.ts'
import { createRowLines, type ListingFormat, listingFlags, pickColumns, toColumnNames } from '../print/listing.ts'
import { styleError } from '../print/style.ts'
import { type Column, drawTable } from '../print/table.ts'
import { askUser, printErrorLine, printLine, writeOut } from '../print/terminal.ts'
import { toShownJson } from '../print/to-json.ts'
import { type Address, type AddressFlags, resolveAddress } from './address.ts'
import { CliError, usageError } from './failure.ts'
import { readSettings } from './settings.ts'
import { toUsage } from './usage.ts'

type None = Record<never, never>
type Values = Readonly<Record<string, unknown>>

/** A command as it is written down: what its help says, what it takes, and what it does. */
export type CommandSpec<Flags extends Values, Base, Args extends Values, Reach> = {
  readonly summary: string
  readonly description?: string
  readonly examples: readonly Command.Example[]
  readonly args?: ArgInput<Args>
  readonly flags?: FlagInput<Flags>
  /** Whether it lists rows, which `--output` and `--columns` say how to write. @default false */
  readonly listsRows?: boolean
  /** Whether its data can be had with `--json`. @default true */
  readonly hasJson?: boolean
  /** @returns its data, for `--json` */
  readonly run: (input: CommandInput<Flags & Base, Args> & Reach) => Promise<unknown>
}

/** What a command gets, and how it answers. */
export type CommandInput<Flags, Args> = {
  readonly args: Args
  readonly flags: Flags
  /** All words that are not flags. */
  readonly words: readonly string[]
  /** What oclif knows of all commands. */
  readonly config: Config
  /** How rows are written; `--json` is `json`, a command that lists none has a `table` otherwise. */
  readonly output: ListingFormat
  /** A line for people; nothing with any other output. */
  readonly log: (text: string) => void
  readonly logToStderr: (text: string) => void
  readonly warn: (text: string) => void
  /** A table as wide as the terminal, whole in a pipe; what {@link rows} writes with another output. */
  readonly table: <Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]) => void
  /** Rows as lines of JSON or CSV, where these are asked for; their fields are the columns. */
  readonly rows: (rows: readonly object[]) => void
  /** Asks before something is destroyed. @throws CliError `usage` without a terminal to ask on, and after a no */
  readonly confirm: (question: string, yes: boolean) => Promise<void>
  /** Ends with exit code 1: with `--json` the data say why, for people a message. @throws CliError */
  readonly fail: (message: string, code: string) => void
}

/** Makes what declares commands of one kind: `baseFlags` say how to get at what they work with. */
const commandsOf =
  <Base extends Values, Reach>(baseFlags: FlagInput<Base>, reach: (flags: Base) => Reach) =>
  <Flags extends Values = None, Args extends Values = None>(
    spec: CommandSpec<Flags, Base, Args, Reach>,
  ): Command.Class =>
    class extends Command {
      static override readonly summary = spec.summary
      static override readonly description = spec.description
      static override readonly examples = [...spec.examples]
      static override readonly args = spec.args ?? {}
      static override readonly flags = flagsOf(spec)
      static override readonly baseFlags = baseFlags
      static override readonly enableJsonFlag = spec.hasJson ?? true
      static override readonly usage = toUsage(spec.args ?? {}, flagsOf(spec), spec.hasJson ?? true)
      output: ListingFormat = 'table'

      async run(): Promise<unknown> {
        const { args, flags, argv } = await this.parse<Flags & ListingFlags, Base, Args>()
        this.output = this.jsonEnabled() ? 'json' : (flags.output ?? 'table')
        const { output } = this
        const wanted = 'columns' in (spec.flags ?? {}) ? undefined : toColumnNames(flags.columns)
        if (wanted && output === 'json') throw usageError('--columns does not apply to json', 'Use --output ndjson.')
        const log = (text: string): void => {
          if (output === 'table') printLine(text)
        }
        /** What is said beside the result: a program that reads JSON has its answer, and the exit code. */
        const note = (text: string): void => {
          if (output !== 'json') printErrorLine(text)
        }
        const toLines = output === 'ndjson' || output === 'csv' ? createRowLines(output, wanted) : () => ''
        const rows = (list: readonly object[]): void => void writeOut(toLines(list))
        return spec.run({
          ...reach(flags),
          args,
          flags,
          words: argv.map(String),
          config: this.config,
          output,
          log,
          logToStderr: note,
          warn: text => note(`${styleError('yellow', '!')} ${text}`),
          rows,
          table: (list, columns) => {
            const width = process.stdout.isTTY ? process.stdout.columns : undefined
            if (output === 'table') log(drawTable(list, pickColumns(list, columns, wanted), { width }))
            else rows(list)
          },
          confirm: async (question, yes) => {
            if (!yes) await confirm(question, !this.jsonEnabled())
          },
          fail: (message, code) => {
            if (!this.jsonEnabled()) throw new CliError(message, { code })
            process.exitCode = 1
          },
        })
      }

      override jsonEnabled(): boolean {
        return this.output === 'json' || super.jsonEnabled()
      }

      override logJson(json: unknown): void {
        printLine(toShownJson(json))
      }

      /** `main.ts` reports errors. */
      protected override catch(error: Error): Promise<never> {
        return Promise.reject(error)
      }
    }

type ListingFlags = { readonly output?: ListingFormat; readonly columns?: string | undefined }

/** A command that lists rows may have columns of its own. */
const flagsOf = <Flags extends Values>(spec: {
  readonly listsRows?: boolean
  readonly flags?: FlagInput<Flags>
}): FlagInput => ({ ...(spec.listsRows ? listingFlags : {}), ...spec.flags })

const confirm = async (question: string, mayAsk: boolean): Promise<void> => {
  if (!mayAsk || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError(`${question} This is not a terminal, so there is no prompt.`, 'Confirm with --yes.')
  }
  const answer = await askUser(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Cancelled; nothing was changed.')
}

/** Answers yes to what a command asks. */
export const yesFlag = Flags.boolean<boolean>({ char: 'y', summary: 'do not ask', default: false })

/** Puts a file in the place of another. */
export const overwriteFlag = Flags.boolean<boolean>({ summary: 'replace an existing file', default: false })

const profileFlags = {
  'token-file': Flags.string({
    summary: 'file with a bearer token; SLUICE_TOKEN holds one itself',
    helpValue: 'FILE',
    helpGroup: 'SERVER',
  }),
  profile: Flags.string({
    summary: 'addresses under this name in ~/.config/sluice/profiles.yaml [env: SLUICE_PROFILE]',
    helpValue: 'NAME',
    helpGroup: 'SERVER',
  }),
}

/** A command that makes no calls. */
export const localCommand = commandsOf({}, () => ({}))

const managementFlag = Flags.string({
  summary: 'management listener [env: SLUICE_URL; default: http://127.0.0.1:8081]',
  helpValue: 'URL',
  helpGroup: 'SERVER',
})
const serverFlag = Flags.string({
  summary: 'collector [env: SLUICE_SERVER_URL; default: http://127.0.0.1:8080]',
  helpValue: 'URL',
  helpGroup: 'SERVER',
})
const gatewayFlag = Flags.string({
  summary: 'gateway [env: SLUICE_GATEWAY_URL, SLUICE_SERVER_URL; default: http://127.0.0.1:8080]',
  helpValue: 'URL',
  helpGroup: 'SERVER',
})

const toManagement = (flags: AddressFlags) => ({
  /** @param timeoutMs longest time for one answer */
  connect: async (timeoutMs?: number): Promise<RpcClient & { readonly url: string }> => {
    const { url, token } = await resolveAddress(flags, process.env)
    const { createRpcClient } = await import('../../client/rpc-client.ts')
    return { ...createRpcClient({ url, token, timeoutMs }), url }
  },
})

const toCollector = (flags: AddressFlags) => ({
  collector: async (): Promise<GatewayCalls> => {
    const { serverUrl, token } = await resolveAddress(flags, process.env)
    const { createGatewayCalls } = await import('../files/gateway.ts')
    return createGatewayCalls(serverUrl, token)
  },
})

const toGateway = (flags: AddressFlags) => ({
  gateway: async (): Promise<GatewayCalls> => {
    const { gatewayUrl, token } = await resolveAddress(flags, process.env)
    const { createGatewayCalls } = await import('../files/gateway.ts')
    return createGatewayCalls(gatewayUrl, token)
  },
})

const toAddress = (flags: AddressFlags) => ({
  address: (): Promise<Address> => resolveAddress(flags, process.env),
})

/** A command that asks the management listener. */
export const rpcCommand = commandsOf({ url: managementFlag, ...profileFlags }, flags => ({
  ...toAddress(flags),
  ...toManagement(flags),
}))

/** A command that asks the collector. */
export const collectorCommand = commandsOf({ 'server-url': serverFlag, ...profileFlags }, flags => toCollector(flags))

/** A command that asks the gateway. */
export const gatewayCommand = commandsOf({ 'server-url': gatewayFlag, ...profileFlags }, flags => ({
  ...toAddress(flags),
  ...toGateway(flags),
}))

/** A command that may ask either. */
export const serverCommand = commandsOf({ url: managementFlag, 'server-url': gatewayFlag, ...profileFlags }, flags => ({
  ...toAddress(flags),
  ...toManagement(flags),
  ...toGateway(flags),
}))

const settingsFlags = {
  config: Flags.string({ summary: 'settings file', helpValue: 'FILE', helpGroup: 'SETTINGS' }),
  set: Flags.string({ summary: 'one setting', helpValue: 'KEY=VALUE', multiple: true, helpGroup: 'SETTINGS' }),
}

/** A command that does what a server with the same settings would do, without one. */
export const settingsCommand = commandsOf(settingsFlags, flags => ({
  settings: async () => (await readSettings(flags)).settings,
}))

/** A command that works on the files of a spool, without a server. */
export const spoolCommand = commandsOf(
  {
    spool: Flags.string({
      summary: 'directory of the spool [default: that of the settings]',
      helpValue: 'DIR',
      helpGroup: 'SPOOL',
    }),
    ...settingsFlags,
  },
  flags => ({
    settings: async () => (await readSettings(flags)).settings,
    /** Where the spool is: as given, or as a server with the same settings would have it. */
    directory: async (): Promise<string> =>
      resolve(flags.spool ?? (await readSettings(flags)).settings['collector.diskspool.path']),
  }),
)
