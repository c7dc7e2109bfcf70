import {
  atLeast,
  atMost,
  type Figure,
  type FigureFacts,
  type Measured,
  minRoundsOfP99,
  type Outcome,
} from './figure.ts'
import {
  fileBytes,
  filesToList,
  filesToRead,
  openApiNames,
  openDirectoryRows,
  openHttpFsApiSmallFiles,
  openHttpFsSmallFiles,
  openLocalDirectoryRows,
  openLocalNames,
  openLocalSmallFiles,
  openNames,
  openSmallFiles,
} from './trials/small-files.ts'
import {
  openApiDownload,
  openApiUpload,
  openDownload,
  openHttpFsDownload,
  openHttpFsUpload,
  openLocalApiDownload,
  openLocalDownload,
  openPipedApiDownload,
  openPipedDownload,
  openStoreDownload,
  openTlsDownload,
  openUpload,
} from './trials/transfers.ts'

/** Most memory that three downloads of a GiB may take, in MB. */
const maxGrowthMb = 64

/** The share of its core used by a server that is not part of the cluster. */
const toCore = ({ rate, cpuUs }: Measured): string =>
  cpuUs === 0 ? 'no server of its own' : `${Math.round((rate * cpuUs) / 1e4)} % of a core`

const transferred = {
  unit: 'MB/s',
  value: ({ rate }: Measured) => rate,
  ratio: (sluice: Measured, baseline: Measured) => sluice.rate / baseline.rate,
  note: (measured: Measured) =>
    [toCore(measured), ...(measured.megabytes ? [`+${Math.round(measured.megabytes)} MB`] : [])].join(', '),
  others: ['hdfs', 'curl'],
} as const satisfies Partial<FigureFacts>

const nearInLittle = {
  goal: `≥ 0.85 ×, ≤ ${maxGrowthMb} MB`,
  isMet: ({ ratio, sluice }) => ratio >= 0.85 && (sluice.megabytes ?? 0) <= maxGrowthMb,
} as const satisfies Partial<FigureFacts>

/** Large files, by `curl`. */
export const transferFigures: readonly Figure[] = [
  {
    id: 'G1',
    what: '1 GiB down from HDFS',
    open: openDownload,
    baselineIs: 'WebHDFS',
    ...transferred,
    ...nearInLittle,
  },
  {
    id: 'G1',
    what: '1 GiB up to HDFS',
    open: openUpload,
    baselineIs: 'WebHDFS',
    ...transferred,
    ...atLeast(0.85),
  },
  {
    id: 'G1',
    what: '1 GiB down from HDFS, with TLS to the client',
    open: openTlsDownload,
    baselineIs: 'nginx',
    ...transferred,
    others: [...transferred.others, 'nginx'],
    ...atLeast(0.8),
  },
  {
    id: 'G1',
    what: '1 GiB down from embedded files',
    open: openLocalDownload,
    baselineIs: 'a file piped',
    ...transferred,
    others: ['curl'],
    ...atLeast(0.85),
  },
  {
    id: 'G1',
    what: '1 GiB down from S3Mock',
    open: openStoreDownload,
    baselineIs: 'presigned URL',
    ...transferred,
    others: ['curl'],
    ...nearInLittle,
  },
  {
    id: 'G1',
    isDetail: true,
    what: '1 GiB down from HDFS by `OPEN`',
    open: openApiDownload,
    baselineIs: 'WebHDFS',
    ...transferred,
    ...nearInLittle,
  },
  {
    id: 'G1',
    isDetail: true,
    what: '1 GiB down from HDFS by `OPEN`, beside a socket pipe',
    open: openPipedApiDownload,
    baselineIs: '`net` piped',
    ...transferred,
    ...atLeast(0.9),
  },
  {
    id: 'G1',
    what: '1 GiB up to HDFS by `CREATE`',
    open: openApiUpload,
    baselineIs: 'WebHDFS',
    ...transferred,
    ...atLeast(0.85),
  },
  {
    id: 'G1',
    isDetail: true,
    what: '1 GiB down from embedded files by `OPEN`',
    open: openLocalApiDownload,
    baselineIs: 'a file piped',
    ...transferred,
    others: ['curl'],
    ...atLeast(0.85),
  },
]

const small = `${filesToRead} files of ${fileBytes / 1024} KB`

const readOneByOne = {
  unit: 'files/s',
  value: ({ rate }: Measured) => rate,
  ratio: (sluice: Measured, baseline: Measured) => sluice.rate / baseline.rate,
  minRounds: minRoundsOfP99,
} as const satisfies Partial<FigureFacts>

const readFromHdfs = {
  ...readOneByOne,
  note: ({ clusterCpuUs = 0 }: Measured) => `${Math.round(clusterCpuUs)} µs of cluster`,
  others: ['hdfs'],
} as const satisfies Partial<FigureFacts>

const listed = {
  unit: 'ms p50',
  value: ({ p50Ms }: Measured) => p50Ms,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p50Ms / baseline.p50Ms,
} as const satisfies Partial<FigureFacts>

/** Small files and directories of them. */
export const smallFileFigures: readonly Figure[] = [
  {
    id: 'G9',
    what: `${small}, from HDFS`,
    open: openSmallFiles,
    baselineIs: 'WebHDFS',
    ...readFromHdfs,
    goal: '≥ 0.9 ×, p99 ≤ 1.2 ×, no more CPU of the cluster',
    isMet: outcome => isNearInP99(outcome) && outcome.ratio >= 0.9 && sparesCluster(outcome),
  },
  {
    id: 'G9',
    what: `${small}, from embedded files`,
    open: openLocalSmallFiles,
    baselineIs: 'a file piped',
    ...readOneByOne,
    goal: '≥ 0.9 ×, p99 ≤ 1.2 ×',
    isMet: outcome => isNearInP99(outcome) && outcome.ratio >= 0.9,
  },
  {
    id: 'G10',
    what: `names of ${filesToList} files, HDFS`,
    open: openNames,
    baselineIs: 'HttpFS, `LISTSTATUS`',
    ...listed,
    others: ['hdfs', 'httpfs'],
    ...atMost(1.3),
  },
  {
    id: 'G10',
    what: `names of ${filesToList} files, embedded files`,
    open: openLocalNames,
    baselineIs: '`lstat` + stringify',
    ...listed,
    ...atMost(1.3),
  },
  {
    id: 'G11',
    what: `rows of ${filesToList} files of ${fileBytes / 1024} KB, HDFS`,
    open: openDirectoryRows,
    baselineIs: 'WebHDFS',
    ...listed,
    others: ['hdfs'],
    ...atMost(1.3),
  },
  {
    id: 'G11',
    what: `rows of ${filesToList} files of ${fileBytes / 1024} KB, embedded files`,
    open: openLocalDirectoryRows,
    baselineIs: '`readFile`',
    ...listed,
    ...atMost(1.3),
  },
]

const httpFs = { id: 'O3', section: 'others', baselineIs: 'HttpFS', others: ['hdfs', 'httpfs', 'curl'] } as const

/** Compared with Hadoop's own gateway, and with no gateway at all. */
export const httpFsFigures: readonly Figure[] = [
  { ...transferred, ...httpFs, what: '1 GiB down from HDFS, beside HttpFS', open: openHttpFsDownload, ...atLeast(1) },
  { ...transferred, ...httpFs, what: '1 GiB up to HDFS, beside HttpFS', open: openHttpFsUpload, ...atLeast(1) },
  {
    ...readFromHdfs,
    ...httpFs,
    what: `${small}, from HDFS, beside HttpFS`,
    open: openHttpFsSmallFiles,
    goal: '≥ 1 ×, p99 and CPU of the cluster ≤ 1 ×',
    isMet: outcome => outcome.ratio >= 1 && outcome.sluice.p99Ms <= outcome.baseline.p99Ms && sparesCluster(outcome),
  },
  {
    ...listed,
    ...httpFs,
    isDetail: true,
    what: `names of ${filesToList} files, HDFS, beside HttpFS`,
    open: openNames,
    ...atMost(1),
  },
  {
    ...readFromHdfs,
    ...httpFs,
    what: `${small}, from HDFS by \`OPEN\` of both`,
    open: openHttpFsApiSmallFiles,
    goal: '≥ 1 ×, p99 and CPU of the cluster ≤ 1 ×',
    isMet: outcome => outcome.ratio >= 1 && outcome.sluice.p99Ms <= outcome.baseline.p99Ms && sparesCluster(outcome),
  },
  {
    ...listed,
    ...httpFs,
    what: `\`LISTSTATUS\` of ${filesToList} files, HDFS`,
    open: openApiNames,
    ...atMost(1),
  },
  {
    ...transferred,
    ...httpFs,
    isDetail: true,
    what: '1 GiB down from HDFS, beside a socket pipe',
    open: openPipedDownload,
    baselineIs: '`net` piped',
    others: transferred.others,
    goal: '≥ 0 ×: to compare',
    isMet: () => true,
  },
]

function isNearInP99({ sluice, baseline }: Outcome): boolean {
  return sluice.p99Ms <= 1.2 * baseline.p99Ms
}

function sparesCluster({ sluice, baseline }: Outcome): boolean {
  return (sluice.clusterCpuUs ?? 0) <= (baseline.clusterCpuUs ?? 0)
}
