import { readFileSync } from 'node:fs'

/** The flags that say which settings hold. */
export type SettingsFlags = { readonly config?: string | undefined; readonly set?: readonly string[] | undefined }

/** The settings that a server with the same flags would have here. @throws SettingsError with every mistake */
export const readSettings = async ({ config, set = [] }: SettingsFlags) => {
  const { loadConfig } = await import('../../../src/config/config.ts')
  return loadConfig({
    argv: [...(config === undefined ? [] : ['--config', config]), ...set.flatMap(assignment => ['--set', assignment])],
    env: process.env,
    cwd: process.cwd(),
    readFile: path => readFileSync(path, 'utf8'),
  })
}
