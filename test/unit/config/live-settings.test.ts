import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { createLiveSettings } from '../../../src/config/live-settings.ts'
import { knownKeys, type SettingKey, type Settings, settingOf } from '../../../src/config/table.ts'

const { settings } = loadConfig({ env: {}, cwd: '/home', readFile: () => '' })

/** Something else than what is there; whether it could be used does not matter here. */
const withOther = (key: SettingKey): Settings => ({ ...settings, [key]: ['other', settings[key]] })

test.each(knownKeys.filter(key => !settingOf(key).live))('%s waits for a restart', key => {
  const live = createLiveSettings(settings)
  const followed = live.of(now => now)
  const change = live.prepare(withOther(key))
  change.hold()
  expect(change).toMatchObject({ changed: [], pending: [key] })
  expect(live.current).toEqual(settings)
  expect(followed()).toEqual(settings)
})

test('derived values are recomputed, for all at once and not before', () => {
  const live = createLiveSettings(settings)
  const followed = live.of(now => now['log.level'])
  const seen: string[] = []
  live.onChange((next, changed) => {
    seen.push(`${next['log.level']} ${[...changed].join()}`)
    return () => seen.push(live.current['log.level'])
  })
  const change = live.prepare({ ...settings, 'log.level': 'debug' })
  expect([followed(), live.current['log.level'], seen]).toEqual(['info', 'info', ['debug log.level']])
  change.hold()
  expect([followed(), live.current['log.level'], seen]).toEqual(['debug', 'debug', ['debug log.level', 'debug']])
})

test('what changed once stays when something else changes', () => {
  const live = createLiveSettings(settings)
  for (const changes of [{ 'log.level': 'debug' }, { 'log.level': 'debug', 'collector.max-body-bytes': 7 }] as const)
    live.prepare({ ...settings, ...changes }).hold()
  expect(live.current).toEqual({ ...settings, 'log.level': 'debug', 'collector.max-body-bytes': 7 })
})

test('nothing is called without a change', () => {
  const live = createLiveSettings(settings)
  live.onChange(() => {
    throw new Error('asked')
  })
  expect(live.prepare({ ...settings, 'admin.vendor': 'acme' })).toMatchObject({
    changed: [],
    pending: ['admin.vendor'],
  })
})
