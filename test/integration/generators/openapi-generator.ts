import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findJava, findMaven } from '../../../scripts/jvm/maven.ts'

const run = promisify(execFile)

/** The generator, from Maven Central. */
const version = '7.17.0'
const jarName = `openapi-generator-cli-${version}.jar`

/** Where downloads stay between runs. */
const cache = resolve('node_modules/.cache/sluice-generators')

/** Starts a program; its output when it succeeds. @throws Error with its last lines */
export const start = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  try {
    return (await run(command, [...args], { cwd, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args[0] ?? ''} failed:\n${`${stdout}${stderr}`.slice(-2_000)}`, { cause: error })
  }
}

/** Something could not be downloaded: the machine is offline. */
export class CannotFetch extends Error {
  override readonly name = 'CannotFetch'
}

/** As {@link start}, for what needs the network. @throws CannotFetch */
const fetchBy = async (command: string, args: readonly string[], cwd: string): Promise<void> => {
  await start(command, args, cwd).catch((cause: Error) => {
    throw new CannotFetch(cause.message, { cause })
  })
}

/** What is missing on this machine to generate and run a client in the language; undefined when nothing is. */
export const missingFor = async (language: 'java' | 'python'): Promise<string | undefined> => {
  if (!(await findJava())) return 'no JDK: "java" is neither in JAVA_HOME nor on the PATH'
  if (!(await findMaven())) return 'no Maven: "mvn" is not on the PATH'
  const program = language === 'java' ? ['javac', '-version'] : ['python3', '-c', 'import ensurepip, venv']
  const [command = '', ...args] = program
  return await run(command, args).then(
    () => undefined,
    () => `"${program.join(' ')}" does not work`,
  )
}

/** Generates a client of a contract (JSON) into `directory/client`. */
export const generateClient = async (
  directory: string,
  contract: unknown,
  options: readonly string[],
): Promise<string> => {
  await fetchGenerator()
  await writeFile(join(directory, 'openapi.json'), JSON.stringify(contract))
  const target = join(directory, 'client')
  const args = ['-jar', join(cache, jarName), 'generate', '-i', 'openapi.json', '-o', target, ...options]
  await start((await findJava()) ?? 'java', args, directory)
  return target
}

/** The jars that a generated Java client needs, and then its classes; gives the class path. */
export const compileJava = async (directory: string, client: string, driver: string): Promise<string> => {
  const libraries = join(directory, 'lib')
  const copy = ['-q', '-B', '-ntp', '-f', join(client, 'pom.xml'), 'dependency:copy-dependencies']
  await fetchBy(
    (await findMaven()) ?? 'mvn',
    [...copy, '-DincludeScope=compile', `-DoutputDirectory=${libraries}`],
    directory,
  )
  const classes = join(directory, 'classes')
  await mkdir(classes)
  const sources = globSync('src/main/java/**/*.java', { cwd: client }).map(file => join(client, file))
  const classPath = `${libraries}/*`
  await start('javac', ['-nowarn', '-proc:none', '-d', classes, '-cp', classPath, ...sources, driver], directory)
  return `${classPath}:${classes}`
}

/** A Python with what a generated client needs; gives its program. */
export const preparePython = async (directory: string, client: string): Promise<string> => {
  const environment = join(cache, 'python')
  const python = join(environment, 'bin', 'python')
  if (!existsSync(python)) await start('python3', ['-m', 'venv', environment], directory)
  await fetchBy(
    python,
    ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', join(client, 'requirements.txt')],
    directory,
  )
  return python
}

/** The jar appears whole or not at all. */
const fetchGenerator = async (): Promise<void> => {
  if (existsSync(join(cache, jarName))) return
  const fresh = join(cache, `.fetch-${process.pid}`)
  await mkdir(fresh, { recursive: true })
  try {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`
    await fetchBy(
      (await findMaven()) ?? 'mvn',
      ['-q', '-B', '-ntp', goal, artifact, `-DoutputDirectory=${fresh}`],
      fresh,
    )
    await rename(join(fresh, jarName), join(cache, jarName))
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
