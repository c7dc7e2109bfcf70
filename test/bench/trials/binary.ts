/** G1: a file of a real HDFS through the gateway, against a `fetch` of the same address piped into the answer. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../../scripts/hdfs/cluster.ts'
import { createWebHdfsFileSystem } from '../../../src/filesystem/webhdfs.ts'
import type { Sample } from '../measure.ts'
import { type Certificate, type Server, startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type Trial, type TrialOptions } from '../trial.ts'

const fileBytes = 256 * 2 ** 20
const warmUpRequests = 1
const requests = 3
const maxAttempts = 5
const file = '/bench/file.bin'

export const openBinary: OpenTrial = options => openTrial(options)

/** The same, with TLS between the client and each of the two. */
export const openTlsBinary: OpenTrial = options => openTrial(options, makeCertificate(options.directory))

const openTrial = async (options: TrialOptions, certificate?: Certificate): Promise<Trial> => {
  const missing = await missingForHdfs()
  if (missing !== undefined) throw new Skipped(`no HDFS, ${missing}`)
  const cluster = await startCluster({ maxHeapMb: 512 })
  try {
    await upload(cluster)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  const run = async (server: Server, url: string): Promise<Sample> => {
    try {
      const from = { url, ...(certificate ? { ca: certificate.cert } : {}) }
      await transfer(options, { ...from, requests: warmUpRequests })
      const { bytes, seconds, ...times } = await transfer(options, { ...from, requests })
      if (bytes !== requests * fileBytes) throw new Error(`${url} gave ${bytes} bytes, not ${requests} × ${fileBytes}`)
      return { rate: bytes / seconds / 1e6, ...times, cpuUs: 0 }
    } finally {
      await server.stop()
    }
  }
  const tls = certificate ? [`server.tls.cert=${certificate.cert}`, `server.tls.key=${certificate.key}`] : []
  return {
    sluice: async () => {
      const server = await startSluice(options, join(options.directory, 'binary'), [
        'services=gateway',
        `namenode.url=${cluster.namenodeUrl}`,
        `namenode.webhdfs.url=${cluster.webhdfsUrl}`,
        `namenode.user=${cluster.user}`,
        ...tls,
      ])
      return run(server, toUrl(server.url, '/rest/1.0/binary', { path: file }))
    },
    baseline: () =>
      retry(async () => {
        const server = await startBareGateway(options, certificate)
        const url = toUrl(cluster.webhdfsUrl, `/webhdfs/v1${file}`, { op: 'OPEN', 'user.name': cluster.user })
        return run(server, toUrl(server.url, '/pipe', { url }))
      }),
    close: () => cluster.stop(),
  }
}

const upload = async ({ webhdfsUrl, user }: Cluster): Promise<void> => {
  const fileSystem = createWebHdfsFileSystem({ urls: [webhdfsUrl], user })
  await fileSystem.create(file, toPieces())
  await fileSystem.close()
}

async function* toPieces(): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(2 ** 20, 'lorem ipsum\n')
  for (let sent = 0; sent < fileBytes; sent += piece.length) yield piece
}

/**
 * `fetch` of some versions of Node ends the process when a server closes while its answer waits for the reader
 * (nodejs/undici#5360), which is what a DataNode does. The bare server shall not fail the run by that; Sluice may.
 */
const retry = async (measure: () => Promise<Sample>): Promise<Sample> => {
  for (let left = maxAttempts - 1; ; left--) {
    try {
      return await measure()
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** Signed by itself, for 127.0.0.1. @throws Skipped without openssl */
const makeCertificate = (directory: string): Certificate => {
  const certificate = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', certificate.key]
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  try {
    execFileSync('openssl', ['req', '-x509', ...key, '-out', certificate.cert, '-days', '2', ...names], {
      stdio: 'ignore',
    })
  } catch (cause) {
    throw Object.assign(new Skipped('no certificate: "openssl req" failed or is missing'), { cause })
  }
  return certificate
}
