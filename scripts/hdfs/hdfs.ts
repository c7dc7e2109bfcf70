/** `npm run hdfs -- start|stop|status`: a real HDFS on this machine, to try Sluice with. */
import { join } from 'node:path'
import { runCommand } from '../jvm/command.ts'
import { hadoopVersion, hdfsHome } from './artifacts.ts'
import { startCluster } from './cluster.ts'

const usage = `Usage: npm run hdfs -- start [--port N] [--dir DIR] | stop | status
  start   starts a NameNode and a DataNode in the background and prints how to use them
  stop    stops them; without --dir their files go, too
  status  says whether they run (exit code 0) or not (1)
  --port  HTTP (WebHDFS) port of the NameNode; any free one when left out
  --dir   where HDFS keeps its files; a temporary directory when left out
Needs a JDK (8, 11 or 17) and, the first time, Maven. SLUICE_HDFS_HOME moves the cache of jars (.hdfs/ in the project),
SLUICE_HDFS_VERSION selects a version of Hadoop (${hadoopVersion()}).`

await runCommand(
  {
    title: 'HDFS',
    script: 'hdfs',
    usage,
    stateFile: join(hdfsHome(), 'running.json'),
    start: async options => {
      const cluster = await startCluster({ ...options, detached: true })
      const { namenodeUrl, webhdfsUrl, marker } = cluster
      const hint = [
        `  SLUICE_NAMENODE_URL=${namenodeUrl} SLUICE_NAMENODE_WEBHDFS_URL=${webhdfsUrl} npm start`,
        `Files are in ${options.directory}; the daemons' logs in ${join(options.directory, 'log')}.`,
      ].join('\n')
      return { pids: cluster.pids(), marker, url: namenodeUrl, hint }
    },
  },
  process.argv.slice(2),
)
