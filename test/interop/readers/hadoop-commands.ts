/** `hdfs` and `hadoop` on the `PATH`, as far as the pages use them, made of the jars that the tests have anyway. */
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fetchHadoop, hadoopVersion, hdfsHome } from '../../../scripts/hdfs/artifacts.ts'
import { hadoopFlags } from '../../../scripts/hdfs/config.ts'
import { fetchJars, findJava } from '../../../scripts/jvm/maven.ts'
import { start } from '../generators/programs.ts'

const version = hadoopVersion()
const library = join(hdfsHome(), 'readers-1')

/** Why Hadoop's classes cannot be had, as a sentence; undefined once they are there. */
export const fetchClasses = async (): Promise<string | undefined> => {
  const pom = join(import.meta.dirname, 'hadoop.pom.xml')
  const log = (line: string): void => console.log(line)
  try {
    await fetchHadoop({ home: hdfsHome(), version, log })
    await fetchJars({ title: 'Jackson for Smile, and zstd in Java', library, pom, properties: [], log })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Writes the commands into `directory/bin`.
 * @param namenodeUrl what a path without a host is below of
 * @returns runs a line of shell in that directory; what it prints
 */
export const makeHadoopCommands = async (
  directory: string,
  namenodeUrl: string,
): Promise<(line: string) => Promise<string>> => {
  const java = (await findJava()) ?? 'java'
  const hadoop = await fetchHadoop({ home: hdfsHome(), version, log: () => {} })
  const [bin, conf, classes] = ['bin', 'conf', 'classes'].map(name => join(directory, name)) as [string, string, string]
  for (const one of [bin, conf, classes]) await mkdir(one)
  const property = `<property><name>fs.defaultFS</name><value>${namenodeUrl}</value></property>`
  await writeFile(join(conf, 'core-site.xml'), `<configuration>${property}</configuration>\n`)
  const jars = [join(hadoop, '*'), join(library, '*')]
  await compileZstd(dirname(java), jars.join(delimiter), classes)
  const classPath = [conf, classes, ...jars].join(delimiter)
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...hadoopFlags].join(' ')
  const shell = `shift; exec java -cp '${classPath}' org.apache.hadoop.fs.FsShell "$@"`
  await writeScript(join(bin, 'hdfs'), `[ "$1" = dfs ] || exit 64; ${shell}`)
  await writeScript(join(bin, 'hadoop'), `[ "$1" = classpath ] || exit 64; echo '${classPath}'`)
  await writeScript(join(bin, 'java'), `exec '${java}' ${flags} "$@"`)
  const path = [bin, process.env['PATH']].join(delimiter)
  return line => start('sh', ['-c', line], { cwd: directory, env: { PATH: path, TZ: 'UTC' } })
}

/**
 * Hadoop has zstd in its native library alone, which is on no Maven server. Airlift's codec, in Java, takes the place of
 * the class that headers and suffixes name; all else is Hadoop's own.
 */
const compileZstd = async (jdk: string, classPath: string, classes: string): Promise<void> => {
  const source = join(classes, 'ZStandardCodec.java')
  const codec = 'public class ZStandardCodec extends io.airlift.compress.zstd.ZstdCodec {}'
  await writeFile(source, `package org.apache.hadoop.io.compress;\n${codec}\n`)
  await start(join(jdk, 'javac'), ['-cp', classPath, '-d', classes, source], { cwd: classes })
}

const writeScript = (path: string, line: string): Promise<void> =>
  writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
