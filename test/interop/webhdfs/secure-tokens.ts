import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { KeytabName } from '../../../scripts/hdfs/secure-cluster.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../../src/formats/hadoop-token.ts'
import { type SecureHdfs, ticketFor } from '../../suites/secure-hdfs.ts'

/** A delegation token that somebody gets for a ticket, by curl. @param url of the cluster, or of a server before it */
export const delegationTokenOf = async (hdfs: SecureHdfs, who: KeytabName, url = hdfs.webhdfsUrl): Promise<string> => {
  const env = { ...process.env, ...(await ticketFor(hdfs, who)) }
  const args = [
    '-sS',
    '--fail-with-body',
    '--negotiate',
    '-u',
    ':',
    `${url}/webhdfs/v1/?op=GETDELEGATIONTOKEN&renewer=${who}`,
  ]
  const { stdout } = await promisify(execFile)('curl', args, { env })
  const { Token } = JSON.parse(stdout) as { readonly Token: { readonly urlString: string } }
  return Token.urlString
}

/** The same token for `HADOOP_TOKEN`: with the address of whom it is for, which Hadoop's clients look at. */
export const toServiceToken = (token: string, port: string): string =>
  encodeHadoopToken({ ...decodeHadoopToken(token), service: `127.0.0.1:${port}` })
