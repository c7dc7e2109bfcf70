/** Fetches the jars of a broker once, with Maven, into a cache directory. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findJava, findMaven } from '../hdfs/artifacts.ts'
import type { BrokerKind } from './kinds.ts'

/** Where jars and the state of `npm run activemq` and `npm run kafka` live: `SLUICE_BROKERS_HOME`, else `.brokers/`. */
export const brokersHome = (): string =>
  resolve(process.env['SLUICE_BROKERS_HOME'] || join(import.meta.dirname, '..', '..', '.brokers'))

/** What is missing on this machine to run a broker, as a sentence for people; undefined when all is there. */
export const missingForBroker = async ({ name, version }: BrokerKind): Promise<string | undefined> => {
  if (!(await findJava())) return 'no JDK: "java" is neither in JAVA_HOME nor on the PATH'
  if (!(await isThere(libraryPath(name, version))) && !(await findMaven())) return 'no Maven: "mvn" is not on the PATH'
  return undefined
}

/**
 * The directory that holds a broker's jars, filled by Maven at the first call. It appears whole or not at all, so that
 * several processes may ask for it at once.
 * @throws Error when there is no Maven, or it fails; the message ends with Maven's own last lines
 */
export const fetchBroker = async ({ name, version }: BrokerKind, log: (line: string) => void): Promise<string> => {
  const library = libraryPath(name, version)
  if (await isThere(library)) return library
  const maven = await findMaven()
  if (!maven) throw new Error(`Cannot fetch ${name}: "mvn" is not on the PATH`)
  log(`Fetching ${name} ${version} with Maven into ${library} (once) …`)
  await mkdir(brokersHome(), { recursive: true })
  const fresh = await mkdtemp(join(brokersHome(), '.fetch-'))
  try {
    const pom = join(import.meta.dirname, `${name}.pom.xml`)
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${fresh}`]
    await runMaven(name, maven, ['-B', '-ntp', '-q', '-f', pom, `-D${name}.version=${version}`, ...goal])
    // Another process may have been faster; its directory is as good as ours.
    await rename(fresh, library).catch(async error => {
      if (!(await isThere(library))) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return library
}

const libraryPath = (name: string, version: string): string => join(brokersHome(), `${name}-${version}`)

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Lines of Maven's output that an error message repeats. */
const maxErrorLines = 8

const runMaven = (name: string, maven: string, args: readonly string[]): Promise<void> =>
  new Promise((done, fail) => {
    const child = spawn(maven, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    const keep = (text: unknown): void => {
      lines.push(...String(text).split('\n').filter(Boolean))
      lines.splice(0, lines.length - maxErrorLines)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', fail)
    child.on('close', code => {
      if (code === 0) done()
      else fail(new Error(`Cannot fetch ${name}: mvn ended with ${code}\n${lines.join('\n')}`))
    })
  })
