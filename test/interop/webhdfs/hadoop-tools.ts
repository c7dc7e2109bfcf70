/** Hadoop's own command line, kept running: a virtual machine for each command would take most of the time. */
import { spawn } from 'node:child_process'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { fetchHadoop, hadoopVersion, hdfsHome } from '../../../scripts/hdfs/artifacts.ts'
import { hadoopFlags } from '../../../scripts/hdfs/config.ts'
import type { KeytabName } from '../../../scripts/hdfs/secure-cluster.ts'
import { fetchJars, findJava } from '../../../scripts/jvm/maven.ts'
import { describeHdfs, type HdfsUrls, isRequired } from '../../suites/hdfs.ts'
import { describeSecureHdfs, type SecureHdfs, ticketFor } from '../../suites/secure-hdfs.ts'

/** What a command printed, and its exit code. */
export type Printed = { readonly code: number; readonly out: Buffer; readonly err: string }

export type HadoopTools = {
  /** `hdfs dfs ARGS`, `hadoop distcp ARGS` or `hdfs fetchdt ARGS`. */
  run(tool: 'fs' | 'distcp' | 'fetchdt', args: readonly string[], stdin?: string): Promise<Printed>
  close(): void
}

const program = resolve(import.meta.dirname, '../../fixtures/hadoop/RunTools.java')
/** Settings of a client of a secure cluster. */
const secureSite = resolve(import.meta.dirname, '../../fixtures/hadoop/secure')
const version = hadoopVersion()
const library = join(hdfsHome(), `distcp-yarn-${version}`)

/**
 * A `describe` with Hadoop's command line, against the shared HDFS. Where one of them is missing it is skipped and says
 * why, or fails when `SLUICE_REQUIRE` names `hdfs` or `hadoop-clients`.
 */
export const describeHadoopTools = async (
  name: string,
  body: (hdfs: HdfsUrls, tools: () => HadoopTools) => void,
): Promise<void> => {
  const missing = 'skipped' in inject('hdfs') ? undefined : await fetchTools()
  if (missing !== undefined && !isRequired('hadoop-clients')) {
    console.warn(`skipped ${name}: ${missing}`)
    return void describe.skip(name, () => test(missing, () => {}))
  }
  describeHdfs(name, hdfs => {
    let tools: HadoopTools
    beforeAll(async () => {
      if (missing !== undefined) throw new Error(`SLUICE_REQUIRE has "hadoop-clients", but ${missing}`)
      tools = await startTools()
    })
    afterAll(() => tools?.close())
    body(hdfs, () => tools)
  })
}

/**
 * The same against the secure HDFS.
 * @param body gets a function that starts them with a ticket of somebody, once and to the end of the `describe`
 */
export const describeSecureTools = async (
  name: string,
  body: (hdfs: SecureHdfs, start: (who: KeytabName) => Promise<HadoopTools>) => void,
): Promise<void> => {
  const missing = 'skipped' in inject('secureHdfs') ? undefined : await fetchTools()
  if (missing !== undefined && !isRequired('hadoop-clients')) {
    console.warn(`skipped ${name}: ${missing}`)
    return void describe.skip(name, () => test(missing, () => {}))
  }
  describeSecureHdfs(name, hdfs => {
    const started = new Map<KeytabName, Promise<HadoopTools>>()
    const start = async (who: KeytabName): Promise<HadoopTools> => {
      if (missing !== undefined) throw new Error(`SLUICE_REQUIRE has "hadoop-clients", but ${missing}`)
      return startTools(await ticketFor(hdfs, who))
    }
    afterAll(async () => {
      for (const tools of await Promise.allSettled(started.values()))
        if (tools.status === 'fulfilled') tools.value.close()
    })
    body(hdfs, who => {
      const tools = started.get(who) ?? start(who)
      started.set(who, tools)
      return tools
    })
  })
}

/** Why they cannot be had; undefined once they are there. */
export const fetchTools = async (): Promise<string | undefined> => {
  const pom = join(import.meta.dirname, 'distcp.pom.xml')
  const properties = [`hadoop.version=${version}`]
  const log = (line: string): void => console.log(line)
  try {
    await fetchHadoop({ home: hdfsHome(), version, log })
    await fetchJars({ title: `DistCp ${version}`, library, pom, properties, log })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** One more of them, with variables of its own; those of a ticket make it use that. They must have been fetched. */
export const startTools = async (env: Readonly<Record<string, string>> = {}): Promise<HadoopTools> => {
  const hadoop = await fetchHadoop({ home: hdfsHome(), version, log: () => {} })
  const krb5Config = env['KRB5_CONFIG']
  const kerberos = krb5Config === undefined ? [] : [`-Djava.security.krb5.conf=${krb5Config}`]
  const jvm = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...kerberos, ...hadoopFlags]
  const jars = [hadoop, library].map(directory => join(directory, '*'))
  const classPath = [...(krb5Config === undefined ? [] : [secureSite]), ...jars].join(delimiter)
  const child = spawn((await findJava()) ?? 'java', [...jvm, '-cp', classPath, program], {
    env: { ...process.env, TZ: 'UTC', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = []
  createInterface(child.stdout).on('line', line => waiting.shift()?.resolve(line))
  child.on('exit', code => {
    for (const wait of waiting.splice(0)) wait.reject(new Error(`RunTools ended with ${code}`))
  })
  return {
    run: async (tool, args, stdin = '') => {
      const { promise, ...wait } = Promise.withResolvers<string>()
      waiting.push(wait)
      child.stdin.write(`${JSON.stringify({ tool, args, stdin: Buffer.from(stdin).toString('base64') })}\n`)
      const answer = JSON.parse(await promise) as { readonly code: number; readonly out: string; readonly err: string }
      const [out, err] = [answer.out, answer.err].map(text => Buffer.from(text, 'base64'))
      return { code: answer.code, out: out ?? Buffer.of(), err: String(err) }
    },
    close: () => void child.kill('SIGKILL'),
  }
}
