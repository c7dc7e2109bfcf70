import { type Config, SettingsError } from '../config/config.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import { toPrintable } from '../config/print.ts'
import type { SettingKey, Settings } from '../config/table.ts'
import type { Logger } from '../log/log.ts'

/** The outcome of reading the settings again; values as text, secrets hidden. */
export type Reloaded = {
  /** `old → new` of what holds from now on, by key. */
  readonly changed: Readonly<Record<string, string>>
  /** The same of what holds from the next start on. */
  readonly pending: Readonly<Record<string, string>>
}

/** Reads the settings again. */
export type Reload = {
  /** @throws Error, after it was logged, when they cannot be used: nothing has changed then */
  reload(): Reloaded
  /** Values that wait for a restart, by key, as they were read last. */
  pending(): Readonly<Record<string, string>>
  /** Why the settings that were read last cannot be used; empty where they hold. */
  problem(): string
}

export type ReloadOptions = {
  readonly live: LiveSettings
  readonly logger: Logger
  /** Reads them from their sources. @throws SettingsError */
  readonly read: () => Pick<Config, 'settings' | 'warnings'>
}

/** What can change without a restart changes at once, and one line says so; of the rest one line says what it needs. */
export const createReload = ({ live, logger, read }: ReloadOptions): Reload => {
  let pending: Readonly<Record<string, string>> = {}
  let problem = ''
  const prepare = () => {
    try {
      const { settings, warnings } = read()
      const change = live.prepare(settings)
      problem = ''
      return { wanted: settings, warnings, change }
    } catch (error) {
      const problems = error instanceof SettingsError ? error.problems : [error instanceof Error ? error.message : '']
      problem = problems.join('; ')
      logger.error({ problems }, 'settings not reloaded: the previous ones remain in effect')
      throw error
    }
  }
  return {
    pending: () => pending,
    problem: () => problem,
    reload() {
      const { wanted, warnings, change } = prepare()
      const old = live.current
      const reloaded = {
        changed: toTexts(change.changed, old, wanted),
        pending: toTexts(change.pending, old, wanted),
      }
      const tell = (): void => {
        if (change.changed.length === 0) logger.info({}, 'settings read again: all that hold are as before')
        else logger.info({ changed: reloaded.changed }, 'settings read again: these hold from now on')
      }
      // While lines of its level are written.
      const isQuiet = quiet.has(change.next['log.level'])
      if (isQuiet) tell()
      change.hold()
      if (!isQuiet) tell()
      for (const warning of warnings) logger.warn({}, warning)
      if (change.pending.length > 0) logger.warn({ pending: reloaded.pending }, 'these settings need a restart')
      pending = Object.fromEntries(change.pending.map(key => [key, toPrintable(wanted, key)]))
      return reloaded
    },
  }
}

const quiet: ReadonlySet<string> = new Set(['warn', 'error'])

const toTexts = (keys: readonly SettingKey[], old: Settings, wanted: Settings): Readonly<Record<string, string>> =>
  Object.fromEntries(keys.map(key => [key, `${toPrintable(old, key)} → ${toPrintable(wanted, key)}`]))
