import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findJava, findMaven } from '../../../scripts/jvm/maven.ts'
import { type At, fetchBy, start } from './programs.ts'

/** The generator, from Maven Central. */
export const generatorVersion = '7.25.0'
const jarName = `openapi-generator-cli-${generatorVersion}.jar`

/** Where downloads and builds stay between runs. */
export const cache = resolve('node_modules/.cache/sluice-generators')

/** What is missing to run the generator; undefined when nothing is. */
export const missingGenerator = async (): Promise<string | undefined> => {
  if (!(await findJava())) return 'no JDK: "java" is neither in JAVA_HOME nor on the PATH'
  if (!(await findMaven())) return 'no Maven: "mvn" is not on the PATH'
  return undefined
}

/**
 * Generates a client of a contract (JSON) into `directory/client`, with the defaults of the generator.
 * @param options `-g`, and `--library` where the default one is not meant
 */
export const generateClient = async (
  directory: string,
  contract: string,
  options: readonly string[],
): Promise<string> => {
  await fetchGenerator()
  await writeFile(join(directory, 'openapi.json'), contract)
  const target = join(directory, 'client')
  const jvm = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-jar', join(cache, jarName)]
  const args = ['generate', '-i', 'openapi.json', '-o', target, ...options]
  await start((await findJava()) ?? 'java', [...jvm, ...args], { cwd: directory })
  return target
}

/** Runs a goal of Maven that downloads. @throws CannotFetch */
export const fetchByMaven = async (args: readonly string[], at: At): Promise<void> =>
  await fetchBy((await findMaven()) ?? 'mvn', ['-q', '-B', '-ntp', ...args], at)

/** The jar appears whole or not at all. */
const fetchGenerator = async (): Promise<void> => {
  if (existsSync(join(cache, jarName))) return
  const fresh = join(cache, `.fetch-${process.pid}`)
  await mkdir(fresh, { recursive: true })
  try {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`
    await fetchByMaven([goal, artifact, `-DoutputDirectory=${fresh}`], { cwd: fresh })
    await rename(join(fresh, jarName), join(cache, jarName))
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
