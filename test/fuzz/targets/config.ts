import { loadConfig, SettingsError } from '../../../src/config/config.ts'
import { toVariable } from '../../../src/config/sources.ts'
import { settingKeys } from '../../../src/config/table.ts'
import { tried } from '../tried.ts'
import { toWords } from '../words.ts'

/**
 * Settings: a YAML file; after a line `---8<---` one `KEY=value` per line, which are given as variables and by `--set`.
 */
export const name = 'config'

export const dictionary = [
  ...toWords(`
    *a " ' { } [ ] = true null ~ 16MiB 1e3 0x10 http://u:p@h hdfs://h:1 (
  `),
  '\n',
  '  ',
  ': ',
  '- ',
  '&a ',
  '<<: ',
  '|\n',
  '>-\n',
  '!!js ',
  '!!binary ',
  '%YAML 1.1\n',
  '---\n',
  '\n---8<---\n',
  '__proto__: ',
  ...settingKeys.map(key => `${key}: `),
]

/** Settings, or all that is wrong with them at once; what holds a password is in no message. */
export const run = (bytes: Uint8Array): void => {
  const [yaml = '', rest = ''] = Buffer.from(bytes).toString('utf8').split('\n---8<---\n')
  const pairs = rest.split('\n').filter(line => line.includes('='))
  const env = Object.fromEntries(
    pairs.map(line => [toVariable(line.split('=', 1).join('')), line.replace(/^[^=]*=/, '')]),
  )
  const config = tried(
    () =>
      loadConfig({
        argv: pairs.flatMap(line => ['--set', line]),
        env,
        cwd: '/work',
        readFile: () => yaml,
      }),
    SettingsError,
  )
  if (config && !Object.isFrozen(config.settings)) throw new Error('settings that can change')
}
