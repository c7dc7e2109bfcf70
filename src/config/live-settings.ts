import type { Current } from '../current.ts'
import { checkTogether } from './checks.ts'
import { SettingsError } from './config.ts'
import { knownKeys, type SettingKey, type Settings, settingOf } from './table.ts'

/**
 * What a part does about other settings: looks whether it can do with them, and gives what makes them hold, which cannot
 * fail. What it throws refuses all of them.
 */
export type PrepareChange = (next: Settings, changed: ReadonlySet<SettingKey>) => () => void

/** Settings that are to hold, and those that wait for a restart. */
export type Change = {
  readonly changed: readonly SettingKey[]
  readonly pending: readonly SettingKey[]
  /** What holds after it. */
  readonly next: Settings
  /** From here on they hold, everywhere. */
  hold(): void
}

/** The settings that hold, of which those that are marked `live` in the table can become others. */
export type LiveSettings = {
  readonly current: Settings
  /** What is made of them, once for each change. What `make` throws refuses the change. */
  of<T>(make: (settings: Settings) => T): Current<T>
  /** For what has more to do than to read the new value when it needs one. */
  onChange(prepare: PrepareChange): void
  /**
   * Nothing has changed when it returns.
   * @throws SettingsError when the live ones do not go with those that wait; whatever a part throws
   */
  prepare(wanted: Settings): Change
}

/** @param first those of the start */
export const createLiveSettings = (first: Settings): LiveSettings => {
  let current = first
  const parts: PrepareChange[] = []
  return {
    get current() {
      return current
    },
    of(make) {
      let made = make(current)
      parts.push(next => {
        const other = make(next)
        return () => {
          made = other
        }
      })
      return () => made
    },
    onChange: prepare => void parts.push(prepare),
    prepare(wanted) {
      const others = knownKeys.filter(key => !isSame(current[key], wanted[key]))
      const changed = others.filter(key => settingOf(key).live)
      const next = Object.freeze({ ...current, ...Object.fromEntries(changed.map(key => [key, wanted[key]])) })
      const problems = checkTogether(next)
      if (problems.length > 0) throw new SettingsError(problems.map(problem => `until a restart: ${problem}`))
      const keys = new Set(changed)
      const holds = changed.length === 0 ? [] : parts.map(prepare => prepare(next, keys))
      return {
        changed,
        pending: others.filter(key => !keys.has(key)),
        next,
        hold() {
          current = next
          for (const hold of holds) hold()
        },
      }
    },
  }
}

/** Values are texts, numbers, flags, and lists and maps of them. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
