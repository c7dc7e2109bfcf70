import { readFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }
import { type Config, loadConfig, SettingsError } from '../config/config.ts'
import { settingsHelp } from '../config/print.ts'
import { watchFiles } from '../http/edge/watch-files.ts'
import { hideInText } from '../log/hide-secrets.ts'
import { createLogger, type ProcessLogger } from '../log/log.ts'
import { reportTimerFailures } from '../runtime/timers.ts'
import { escapeInLines } from '../text/control-characters.ts'
import type { App, AppOptions, Listener } from './app-type.ts'
import { handleSignals } from './signals.ts'

/**
 * Longest time for a whole drain after its delay: edges first, then the spool's seal and one commit. What stops the
 * server waits longer.
 */
export const closeTimeoutMs = 60_000

/** Exit codes of the process. */
const failed = 1
const badSettings = 2
/** `EX_SOFTWARE` of `sysexits.h`: the server cannot continue, as the log says; a supervisor restarts it. */
const broken = 70

/**
 * Runs the server as this process: settings, application, listeners, and the drain on SIGTERM and SIGINT. Resolves
 * when it listens; ends the process when it is done or cannot start.
 */
export const run = async (
  createApp: (options: AppOptions) => Promise<App>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> => {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(toHelp())
    return
  }
  if (argv.includes('--version') || argv.includes('-v')) {
    process.stdout.write(`sluice/${packageJson.version} node-${process.version}\n`)
    return
  }
  let logger: ProcessLogger | undefined
  try {
    const read = (): Config =>
      loadConfig({ argv, env: process.env, cwd: process.cwd(), readFile: path => readFileSync(path, 'utf8') })
    const config = read()
    logger = createProcessLogger(config)
    for (const warning of config.warnings) logger.warn({}, warning)
    await start(createApp, config, logger, read)
  } catch (error) {
    logger?.flush()
    process.stderr.write(`${escapeInLines(hideInText(toStartMessage(error)))}\n`)
    process.exit(error instanceof SettingsError ? badSettings : failed)
  }
}

const start = async (
  createApp: (options: AppOptions) => Promise<App>,
  { settings, file }: Config,
  logger: ProcessLogger,
  readSettings: () => Config,
): Promise<void> => {
  reportTimerFailures(error => logger.error({ err: error }, 'a timer failed'))
  const isBroken = Promise.withResolvers<void>()
  const app = await createApp({ settings, logger, readSettings, onBroken: () => isBroken.resolve() })
  // Signals count from here on: a Ctrl-C while the spool recovers waits for the start, then drains as usual.
  const starting = app.start()
  const end = handleSignals({
    drain: async signal => {
      logger.info({ signal }, 'draining')
      await starting
      await app.close()
      logger.info({}, 'stopped')
    },
    timeoutMs: closeTimeoutMs + settings['server.drain-delay-seconds'] * 1_000,
    onFailure: error => logger.error({ err: error }, 'the drain failed'),
    beforeExit: () => logger.flush(),
  })
  void isBroken.promise.then(() => end('a fault of the server', broken))
  const [listeners] = await Promise.all([starting, reloadOnChange(app, file)])
  logger.info(toFields(listeners), 'sluice is ready')
}

/** When the settings file changes, and on SIGHUP; a terminal that goes away sends one to those in it, and ends them. */
const reloadOnChange = async (app: App, file: string): Promise<void> => {
  const reload = (): void => {
    try {
      app.reload()
    } catch {
      // The log has it; the previous settings stay in effect.
    }
  }
  if (!process.stdout.isTTY) {
    process.on('SIGHUP', () => {
      app.reopenLogs()
      reload()
    })
  }
  await watchFiles([file], async () => reload())
}

const createProcessLogger = ({ settings }: Config): ProcessLogger => {
  const format = settings['log.format']
  return createLogger({
    level: settings['log.level'],
    format: format === 'auto' ? (process.stdout.isTTY ? 'text' : 'json') : format,
  })
}

const toFields = (listeners: readonly Listener[]): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(listeners.map(({ name, url }) => [name, url])),
  pid: process.pid,
  node: process.version,
})

/** One paragraph for what people can fix; the stack only for what is a bug. */
const toStartMessage = (error: unknown): string => {
  if (error instanceof SettingsError) return `${error.message}\nRun with --help for all settings.`
  if (!(error instanceof Error)) return `Sluice cannot start: ${String(error)}`
  return `Sluice cannot start. ${isBug(error) ? error.stack : error.message}`
}

/** What the engine throws by itself; errors of the system and of the parts of the server explain themselves. */
const isBug = (error: Error): boolean =>
  !('code' in error) && [TypeError, RangeError, ReferenceError, SyntaxError].some(type => error instanceof type)

const toHelp = (): string => `Collects events into HDFS and serves its files.

Usage: npm start -- [--config FILE] [--set key=value]...

  --config FILE    settings file (default: sluice.yaml, where there is one)
  --set key=value  one setting; wins over variables, which win over the file
  --version        the version
  --help           this text

Examples:
  npm start
  npm start -- --set server.port=9000 --set data.dir=/var/lib/sluice
  SLUICE_NAMENODE_URL=hdfs://namenode:8020 npm start
  npm start -- --config /etc/sluice.yaml

Settings, as --set key=value, as \`key: value\` in the file, or as SLUICE_KEY (upper case, _ for . and -);\nthose marked (live) take effect on SIGHUP and when the file changes, the others with the next start:
${settingsHelp()}
`
