import { globSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchByMaven } from './openapi-generator.ts'
import { missingProgram, start } from './programs.ts'

const createJava = (library: string, options: readonly string[], limits: string): Language => ({
  name: `java-${library}`,
  library,
  options: ['-g', 'java', ...options],
  integers: 'exact',
  limits,
  missing: () => missingProgram('javac', '-version'),
  build: async ({ directory, client }) => {
    const [libraries, classes] = [join(directory, 'lib'), join(directory, 'classes')]
    const scope = ['-DincludeScope=compile', `-DoutputDirectory=${libraries}`]
    await fetchByMaven(['-f', join(client, 'pom.xml'), 'dependency:copy-dependencies', ...scope], { cwd: directory })
    await mkdir(classes)
    const drivers = ['java', `java-${library}`].map(folder => fileURLToPath(new URL(`${folder}/`, driversUrl)))
    const sources = [join(client, 'src/main/java'), ...drivers].flatMap(root =>
      globSync('**/*.java', { cwd: root }).map(file => join(root, file)),
    )
    const classPath = `${libraries}/*`
    const options = ['-nowarn', '-proc:none', '-d', classes, '-cp', classPath]
    await start('javac', [...options, ...sources], { cwd: directory })
    return (...args) => start('java', ['-cp', `${classPath}:${classes}`, 'Journey', ...args], { cwd: directory })
  },
})

/** The two libraries of the Java generator that are used most. */
export const javaLanguages: readonly Language[] = [
  createJava(
    'okhttp-gson',
    [],
    'Gson reads numbers of rows as doubles; exact with `JSON.setGson(JSON.getGson().newBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create())`',
  ),
  createJava(
    'native',
    ['--library', 'native'],
    'the library sends the JSON of a `File`, which is its name, in place of its bytes: before an upload `setRequestInterceptor(request -> request.POST(BodyPublishers.ofFile(path)))`',
  ),
]
