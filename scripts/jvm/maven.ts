/** Finds a JDK and Maven on this machine, and fetches the jars of a server once into a cache directory. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram } from '../find-program.ts'

/** Path of `java`: below `JAVA_HOME` if that is set, else on the `PATH`; undefined if it is not found. */
export const findJava = (): Promise<string | undefined> => findProgram('java', below('JAVA_HOME'))

/** Path of `mvn` on the `PATH` (or below `MAVEN_HOME`); undefined if it is not found. */
export const findMaven = (): Promise<string | undefined> => findProgram('mvn', below('MAVEN_HOME'))

/**
 * What is missing on this machine to run what has its jars in `library`, as a sentence for people; undefined when all
 * is there. Maven is only needed until the jars are in the cache.
 */
export const missingForJars = async (library: string): Promise<string | undefined> => {
  if (!(await findJava())) return 'no JDK: "java" is neither in JAVA_HOME nor on the PATH'
  if (!(await isThere(library)) && !(await findMaven())) return 'no Maven: "mvn" is not on the PATH'
  return undefined
}

export type Jars = {
  /** For people: `Hadoop 3.4.3`. */
  readonly title: string
  /** The directory they go to. */
  readonly library: string
  /** The POM whose runtime dependencies they are. */
  readonly pom: string
  /** Properties of that POM, as `name=value`. */
  readonly properties: readonly string[]
  /** Takes progress for people, a line at a time. */
  readonly log: (line: string) => void
}

/**
 * Fills the directory of jars by Maven at the first call. It appears whole or not at all, so that several processes may
 * ask for it at once.
 * @throws Error when there is no Maven, or it fails; the message ends with Maven's own last lines
 */
export const fetchJars = async ({ title, library, pom, properties, log }: Jars): Promise<void> => {
  if (await isThere(library)) return
  const maven = await findMaven()
  if (!maven) throw new Error(`Cannot fetch ${title}: "mvn" is not on the PATH`)
  log(`Fetching ${title} with Maven into ${library} (once) …`)
  const home = dirname(library)
  await mkdir(home, { recursive: true })
  const fresh = await mkdtemp(join(home, '.fetch-'))
  try {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${fresh}`]
    const defines = properties.map(property => `-D${property}`)
    await runMaven(title, maven, ['-B', '-ntp', '-q', '-f', pom, ...defines, ...goal])
    // Another process may have been faster; its directory is as good as ours.
    await rename(fresh, library).catch(async error => {
      if (!(await isThere(library))) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

const isThere = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The directory of programs below what a variable names. */
const below = (variable: string): readonly string[] => {
  const home = process.env[variable]
  return home ? [join(home, 'bin')] : []
}

/** Lines of Maven's output that an error message repeats. */
const maxErrorLines = 8

const runMaven = (title: string, maven: string, args: readonly string[]): Promise<void> =>
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
      else fail(new Error(`Cannot fetch ${title}: mvn ended with ${code}\n${lines.join('\n')}`))
    })
  })
