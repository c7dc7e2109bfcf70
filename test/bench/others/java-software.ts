/** Software of others in Java: its jars are fetched by Maven at the first use, into `.bench/` of the project. */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { fetchJars, findJava, missingForJars } from '../../../scripts/jvm/maven.ts'
import { Skipped } from '../trial.ts'
import type { Other } from './other.ts'

export type JavaSoftware = Pick<Other, 'describe'> & {
  /** Directory of its jars, once they are fetched. */
  readonly library: string
  /** Path of `java`, when the jars are there. @throws Skipped when they are not, and cannot be had */
  fetch(): Promise<string>
}

export type JavaSoftwareOptions = {
  /** For people: `Flume`. */
  readonly name: string
  readonly version: string
  /** What the POM beside this file is named for, `flume.pom.xml`, and the property of the version. */
  readonly artifact: string
}

export const createJavaSoftware = ({ name, version, artifact }: JavaSoftwareOptions): JavaSoftware => {
  const title = `${name} ${version}`
  const library = resolve(import.meta.dirname, `../../../.bench/${artifact}-${version}`)
  const fetch = async (): Promise<string> => {
    const missing = await missingForJars(library)
    const java = await findJava()
    if (missing !== undefined || java === undefined) throw new Skipped(`no ${name}, ${missing ?? 'no JDK'}`)
    const pom = join(import.meta.dirname, `${artifact}.pom.xml`)
    const log = (line: string): void => void process.stderr.write(`${line}\n`)
    try {
      await fetchJars({ title, library, pom, properties: [`${artifact}.version=${version}`], log })
    } catch (cause) {
      const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
      throw Object.assign(new Skipped(`no ${name}: ${line}`), { cause })
    }
    return java
  }
  return {
    library,
    fetch,
    describe: async () => {
      const { stderr } = await promisify(execFile)(await fetch(), ['-version'])
      return `${title} on Java ${/version "([^"]+)"/.exec(stderr)?.[1] ?? 'of an unknown version'}`
    },
  }
}
