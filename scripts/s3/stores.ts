/** Stores that speak S3, of other make, on this machine: Adobe's S3Mock, moto of Python, versitygw of Go. For tests; they keep nothing. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDaemon } from '../daemon.ts'
import { findFreePorts } from '../free-ports.ts'
import { hdfsHome } from '../hdfs/artifacts.ts'
import { fetchJars, findJava, missingForJars } from '../jvm/maven.ts'
import { tail } from '../tail.ts'

const s3MockVersion = '5.2.0'
const s3MockLibrary = (): string => join(hdfsHome(), `s3mock-${s3MockVersion}`)

/** What is missing on this machine to run S3Mock, as a sentence for people; undefined when all is there. */
export const missingForS3Mock = (): Promise<string | undefined> => missingForJars(s3MockLibrary())

export type StoreServer = {
  /** `http://host:port`, with the bucket in the path. */
  readonly endpoint: string
  /** Ends it, and what it holds. */
  stop(): Promise<void>
}

const startTimeoutMs = 120_000

/**
 * Starts S3Mock and resolves when it answers.
 * @throws Error when Java or Maven is missing, or it does not start; the message ends with its last log lines
 */
export const startS3Mock = async (log: (line: string) => void = () => {}): Promise<StoreServer> => {
  const java = await findJava()
  if (!java) throw new Error('Cannot start S3Mock: "java" is neither in JAVA_HOME nor on the PATH')
  const library = s3MockLibrary()
  const pom = join(import.meta.dirname, 's3mock.pom.xml')
  await fetchJars({
    title: `S3Mock ${s3MockVersion}`,
    library,
    pom,
    properties: [`s3mock.version=${s3MockVersion}`],
    log,
  })
  const jar = join(library, `s3mock-${s3MockVersion}-exec.jar`)
  return await startStore('S3Mock', (port, directory) => ({
    command: java,
    args: [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      `-Djava.io.tmpdir=${join(directory, 'tmp')}`,
      '-jar',
      jar,
      `--http.port=${port}`,
      '--server.port=0',
      `--com.adobe.testing.s3mock.store.root=${directory}`,
    ],
  }))
}

/** Starts moto and resolves when it answers. @param python that has it @throws Error when it does not start */
export const startMoto = (python: string): Promise<StoreServer> =>
  startStore('moto', port => ({
    command: python,
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  }))

/**
 * Starts versitygw over a directory and resolves when it answers.
 * @param options of its backend, such as `--nometa` @throws Error when it does not start
 */
export const startVersitygw = (
  program: string,
  keys: { readonly accessKeyId: string; readonly secretAccessKey: string },
  options: readonly string[],
): Promise<StoreServer> =>
  startStore('versitygw', (port, directory) => ({
    command: program,
    args: [
      '--access',
      keys.accessKeyId,
      '--secret',
      keys.secretAccessKey,
      '--port',
      `127.0.0.1:${port}`,
      'posix',
      ...options,
      join(directory, 'tmp'),
    ],
  }))

type Command = { readonly command: string; readonly args: readonly string[] }

const startStore = async (
  name: string,
  toCommand: (port: number, directory: string) => Command,
): Promise<StoreServer> => {
  const directory = await mkdtemp(join(tmpdir(), `sluice-${name.toLowerCase()}-`))
  await mkdir(join(directory, 'tmp'))
  const [port = 0] = await findFreePorts(1)
  const logFile = join(directory, 'store.log')
  const daemon = await startDaemon({ ...toCommand(port, directory), logFile, detached: false })
  const endpoint = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    await daemon.kill()
    await rm(directory, { recursive: true, force: true })
  }
  const deadline = Date.now() + startTimeoutMs
  while (!(await answers(endpoint))) {
    const reason = daemon.ended() ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
    if (reason) {
      const lines = await tail(logFile)
      await stop()
      throw new Error(`${name} did not start: ${reason}\n${lines}`)
    }
    await sleep(100)
  }
  return { endpoint, stop }
}

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint).then(
    () => true,
    () => false,
  )
