/** Finds a JDK and Maven on this machine, and fetches Hadoop's jars once into a cache directory. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** The Hadoop line that is used unless `SLUICE_HDFS_VERSION` names another. */
export const defaultHadoopVersion = '3.4.3'

/** Where jars, the state of `npm run hdfs` and its data live: `SLUICE_HDFS_HOME`, else `.hdfs/` in the project. */
export const hdfsHome = (): string => resolve(process.env['SLUICE_HDFS_HOME'] || join(here, '..', '..', '.hdfs'))

/** Path of `java`: below `JAVA_HOME` where that is set, else on the `PATH`; undefined when there is none. */
export const findJava = async (): Promise<string | undefined> => {
  const home = process.env['JAVA_HOME']
  return (home && (await executable(join(home, 'bin', 'java')))) || (await onPath('java'))
}

/** Path of `mvn` on the `PATH` (or below `MAVEN_HOME`); undefined when there is none. */
export const findMaven = async (): Promise<string | undefined> => {
  const home = process.env['MAVEN_HOME']
  return (home && (await executable(join(home, 'bin', 'mvn')))) || (await onPath('mvn'))
}

/**
 * What is missing on this machine to run HDFS, as a sentence for people; undefined when all is there. Maven is only
 * needed until the jars are in the cache.
 */
export const missingForHdfs = async (home = hdfsHome(), version = hadoopVersion()): Promise<string | undefined> => {
  if (!(await findJava())) return 'no JDK: "java" is neither in JAVA_HOME nor on the PATH'
  if (!(await isThere(libraryPath(home, version))) && !(await findMaven())) return 'no Maven: "mvn" is not on the PATH'
  return undefined
}

/** The Hadoop version to run. */
export const hadoopVersion = (): string => process.env['SLUICE_HDFS_VERSION'] || defaultHadoopVersion

export type ArtifactOptions = {
  readonly home: string
  readonly version: string
  /** Takes progress for people, a line at a time. */
  readonly log: (line: string) => void
}

/**
 * The directory that holds Hadoop's jars, filled by Maven at the first call. It appears whole or not at all, so that
 * several processes may ask for it at once.
 * @throws Error when there is no Maven, or it fails; the message ends with Maven's own last lines
 */
export const fetchHadoop = async ({ home, version, log }: ArtifactOptions): Promise<string> => {
  const library = libraryPath(home, version)
  if (await isThere(library)) return library
  const maven = await findMaven()
  if (!maven) throw new Error('Cannot fetch Hadoop: "mvn" is not on the PATH')
  log(`Fetching Hadoop ${version} with Maven into ${library} (about 60 MB, once) …`)
  await mkdir(home, { recursive: true })
  const fresh = await mkdtemp(join(home, '.fetch-'))
  try {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${fresh}`]
    await runMaven(maven, ['-B', '-ntp', '-q', '-f', join(here, 'pom.xml'), `-Dhadoop.version=${version}`, ...goal])
    // Another process may have been faster; its directory is as good as ours.
    await rename(fresh, library).catch(async error => {
      if (!(await isThere(library))) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  log(`Hadoop ${version} is in ${library}`)
  return library
}

const libraryPath = (home: string, version: string): string => join(home, `hadoop-${version}`)

const isThere = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const executable = async (path: string): Promise<string | undefined> =>
  access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  )

const onPath = async (name: string): Promise<string | undefined> => {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = directory && (await executable(join(directory, name)))
    if (found) return found
  }
  return undefined
}

/** Lines of Maven's output that an error message repeats. */
const maxErrorLines = 8

const runMaven = (maven: string, args: readonly string[]): Promise<void> =>
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
      else fail(new Error(`Cannot fetch Hadoop: mvn ended with ${code}\n${lines.join('\n')}`))
    })
  })
