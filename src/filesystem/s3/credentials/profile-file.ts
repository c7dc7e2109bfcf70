/** The files in which AWS' tools keep profiles, `~/.aws/credentials` and `~/.aws/config`: sections of `name = value`. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './environment.ts'

/** The settings of one profile; those of the credentials count before those of the configuration. */
export type Profile = ReadonlyMap<string, string>

/**
 * Reads a profile; undefined where neither file has it.
 * @throws Error a file is there and cannot be read
 */
export const readProfile = async (name: string, env: Environment): Promise<Profile | undefined> => {
  const home = join(env['HOME'] || homedir(), '.aws')
  const config = await readSections(env['AWS_CONFIG_FILE'] || join(home, 'config'))
  const credentials = await readSections(env['AWS_SHARED_CREDENTIALS_FILE'] || join(home, 'credentials'))
  const found = [config.get(name === 'default' ? name : `profile ${name}`), credentials.get(name)]
  const sections = found.filter(section => section !== undefined)
  return sections.length === 0 ? undefined : new Map(sections.flatMap(section => [...section]))
}

const readSections = async (file: string): Promise<ReadonlyMap<string, Profile>> => {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return ''
    throw new Error(`${file} cannot be read: ${cause.code ?? cause.message}`, { cause })
  })
  return parseSections(text)
}

/** Lines that are neither a section nor a setting, such as the indented ones of a nested setting, are passed over. */
export const parseSections = (text: string): ReadonlyMap<string, Profile> => {
  const sections = new Map<string, Map<string, string>>()
  let section: Map<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\[\s*([^\]]*?)\s*\]/.exec(line) ?? []
    if (title !== undefined) {
      const name = title.replace(/\s+/, ' ')
      section = sections.get(name) ?? new Map()
      sections.set(name, section)
      continue
    }
    const [, key, value] = /^([^\s=#;][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (section && key !== undefined && value !== undefined) section.set(key.toLowerCase(), value)
  }
  return sections
}
