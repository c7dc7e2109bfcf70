import { globSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchByMaven } from './openapi-generator.ts'
import { start } from './programs.ts'

/** okhttp and Moshi. Compiled with what Maven Central has of the compiler, because Gradle itself is not there. */
export const kotlin: Language = {
  name: 'kotlin',
  library: 'jvm-okhttp4',
  options: ['-g', 'kotlin'],
  integers: 'doubles',
  limits: 'Moshi reads numbers of rows as doubles: integers beyond 2^53 are rounded',
  missing: async () => undefined,
  build: async ({ directory, client }) => {
    const gradle = readFileSync(join(client, 'build.gradle'), 'utf8')
    const [, version = ''] = /kotlin_version = '([^']+)'/.exec(gradle) ?? []
    const libraries = await fetchJars(directory, 'lib', toDependencies(gradle, version))
    const compiler = await fetchJars(directory, 'kotlinc', [
      `org.jetbrains.kotlin:kotlin-compiler-embeddable:${version}`,
    ])
    const classes = join(directory, 'classes')
    const root = join(client, 'src/main/kotlin')
    const sources = globSync('**/*.kt', { cwd: root }).map(file => join(root, file))
    const driver = fileURLToPath(new URL('journey.kt', driversUrl))
    const classPath = globSync('*.jar', { cwd: libraries })
      .map(jar => join(libraries, jar))
      .join(':')
    const main = ['-cp', `${compiler}/*`, 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler']
    const options = ['-no-stdlib', '-no-reflect', '-nowarn', '-classpath', classPath, '-d', classes]
    await start('java', [...main, ...options, ...sources, driver], { cwd: directory })
    return (...args) => start('java', ['-cp', `${classPath}:${classes}`, 'JourneyKt', ...args], { cwd: directory })
  },
}

/** What `implementation` names, as `group:artifact:version`; Gradle finds okhttp's part for the JVM by itself. */
const toDependencies = (gradle: string, version: string): readonly string[] =>
  [...gradle.matchAll(/^ *implementation "([^"]+)"/gm)].map(([, found = '']) =>
    found.replace('$kotlin_version', version).replace('okhttp3:okhttp:', 'okhttp3:okhttp-jvm:'),
  )

const fetchJars = async (directory: string, name: string, dependencies: readonly string[]): Promise<string> => {
  const target = join(directory, name)
  await mkdir(target)
  const rows = dependencies.map(dependency => {
    const [group, artifact, version] = dependency.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const head = '<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>'
  const pom = join(target, 'pom.xml')
  await writeFile(pom, `<project>${head}<dependencies>${rows.join('')}</dependencies></project>`)
  const scope = ['-DincludeScope=runtime', `-DoutputDirectory=${target}`]
  await fetchByMaven(['-f', pom, 'dependency:copy-dependencies', ...scope], { cwd: directory })
  return target
}
