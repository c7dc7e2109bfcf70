/**
 * BENCHMARKS.md: fixed text around sections that are measured. Each stands between `<!-- NAME -->` and `<!-- /NAME -->`,
 * so that a run which measures some of them leaves the others as they are.
 */
import { sweeps } from './sweeps/sweeps.ts'

/** Markdown by the name of its section: `capacity`, `figures`, `replicated`, `others`, `sizes`, `sweep-<name>`. */
export type Sections = Readonly<Record<string, string>>

/** Name of the section of a sweep. */
export const sweepSection = (name: string): string => `sweep-${name}`

/** The whole page; a section that was not measured now is taken from the page as it was, if it is there. */
export const toPage = (sections: Sections, before: string): string => {
  const section = (name: string, command: string): string => {
    const text = sections[name] ?? find(before, name) ?? `Not measured yet: \`npm run bench -- ${command} --write\`.\n`
    return `<!-- ${name} -->\n\n${text.trim()}\n\n<!-- /${name} -->`
  }
  const grown = sweeps.map(({ name }) => section(sweepSection(name), `--sweep ${name}`))
  return `${head}
## What one core takes for good

${section('capacity', 'P14')}

${howForGood}
## The figures

${section('figures', '')}

${howItIsMeasured}
## A log on three machines

${section('replicated', 'P13')}

${onThreeMachines}
## Beside others

${section('others', 'O1 O2 O3')}

${besideOthers}
## How the cost grows

One thing made larger, all else as it is; Sluice and the bare server in turn, on fresh processes where nothing else is
said.

${grown.join('\n\n')}

## Sizes

${section('sizes', '--sizes')}

A process is the real one with its default settings; beside it stands \`node -e\` with a \`node:http\` server (for commands,
one that does nothing). Times are medians. Memory is \`VmRSS\`.

${commands}`
}

const find = (page: string, name: string): string | undefined => {
  const from = page.indexOf(`<!-- ${name} -->`)
  const to = page.indexOf(`<!-- /${name} -->`)
  return from === -1 || to < from ? undefined : page.slice(from + `<!-- ${name} -->`.length, to)
}

const head = `# Benchmarks

Throughput and latency: what a 202 costs (P: events are on the disk, with \`fdatasync\`, before they are acknowledged), what files cost on their
way out (G), the management (A), and software of others beside it (O). Every figure is measured against a bare server, or
that software, in the same run, because machines differ and are noisy: the **ratio** is what counts.
\`npm run bench -- --all --write\` makes all of this page again.
`

const howForGood = `All other rates of P are those of intake: what is taken in a few seconds is sealed later. Here the server is on one core with all of
its threads for a minute (12 times \`--seconds\`), a flush every 5 s, and what waits for its file at the end is no more than at the beginning (means
over a flush interval): at a rate at which more waits nothing is reported but that. The rate is tried that the CPU time of an event leaves, all of it
until its file is committed to the embedded file system, less a twentieth; then lower ones. The model leaves out memory bandwidth, disk and network.
It has the threads that seal by default, and \`server.threads\` from 1 (the main thread takes connections) to 4: with more, the main thread keeps what there
is one of. What an event takes of each is then that of a short run with two edge threads on the same core, and taken to be the same with more of them.
`

const howItIsMeasured = `Sluice is the real process with its default settings, as \`npm start\` runs it (collector only, embedded file system). The
bare server (\`test/bench/baseline.ts\`) is \`node:http\` with one \`JSON.parse\`, and one write and one \`fdatasync\` for all
requests that wait, on a writer thread of its own: it checks, counts, frames and limits nothing; for P8 it is \`node:net\`.
It gets the same options of Node. P7 compares Sluice with itself: the baseline takes the same events as JSON. Load comes from a process of its own
(\`test/bench/load.ts\`), connections that each wait for their answer. Refusals under overload
(503) count neither as events nor as latencies, and their share is told where there were any; any other answer but a
plain 202, or OK, fails the run. The ratio of P5 is how many times more \`ack=written\` takes; a ratio of P6 above 1 is
slower. The last column is the CPU time of all threads of the server for one event (G1: a megabyte,
G9 to G11: a request), Sluice : baseline; 0 where there is none.

G: the gateway alone, on the embedded file system where nothing else is said. HDFS is one NameNode and one DataNode on
this machine, bound to no core, without Kerberos or delegation tokens (\`test/bench/hdfs.ts\`), the same for both sides and
all rounds; who writes a file asks again after 5 ms, not 400, where the NameNode does not know its block yet. The bare gateway (\`test/bench/bare-gateway.ts\`) does the work for one file and one format in the shortest way:
it checks and bounds nothing, and its files are local ones. Rates of rows count the bytes of the text, or of the unfolded
values. In G2 to G6 one client sends one request after the other.

G1 is the program \`curl\`, a process for each request, on the core of the load: three requests of a GiB after one that does
not count (\`--gigabytes\` below 1: a part of it), and their rate by its own clock. WebHDFS itself is the same \`curl\` past
all gateways: \`-L\` follows the NameNode to the DataNode, and a file goes up in the two steps of \`CREATE\`. With TLS nginx,
one process on the core of the server, passes the DataNode's answer on by \`proxy_pass\`, all defaults but
\`proxy_max_temp_file_size 0\`; it asks no NameNode. The length of each answer, and of each file that went up, is checked.
Growth is that of all four requests, after one of 64 MB. Where \`OPEN\` or \`CREATE\` is named, Sluice is asked by its WebHDFS
API, in one step; else by its own. The bare pipe passes on the DataNode's bytes, head and all, and asks no NameNode.

\`LISTSTATUS\` and \`LISTSTATUS_BATCH\` of G6 are read once, to the end, by \`test/bench/list-status.ts\`, which counts the names;
pages come one after the other.

G9 to G11 are files of 4096 bytes, five columns of text (\`--gigabytes\` below 1: a part of them). G9 reads them in turn by 16 connections that are kept where the
server keeps them, WebHDFS itself by the same process (\`test/bench/transfer.ts\`), which follows the redirects. CPU of the
cluster is that of NameNode and DataNode for each file. G10 is \`content=false\` beside \`LISTSTATUS\`, one request after the
other. G11 is one request for all rows, the median of three, beside the time in which 16 such connections get as many files
at their rate; locally beside a Node process on the core of the server that reads them, 16 at a time, and does nothing
else. Length and status of each answer are checked, and the first listing and rows of each run by what is in them.

Growth of memory is the highest \`VmRSS\` of its processes together while the request runs, less that before it, in a server
that has served a small file (G6: a small directory) before; its ratio is to what the bare one grows by. What is read of
a file counts in \`/proc/PID/io\`. G7 and P11 run without a server, in one process
(P11: the second segment counts, with the garbage collector's threads). A1 is a listener of its own with 5 000 beans.

Where P14b is a recorded log, a server on both cores finds it at its start, ten segments in the collector's own form, and
has no load: it counts from the first segment on until all files are committed to the embedded file system,
and CPU is that of the whole server.

P10 is the server on both cores, and the load on one of them, so that its rates are lower than P1's; what counts is the CPU time of an
event, with threads to without.

P9 first takes events as fast as they come with flushing disabled, then enables it under single events at a fixed rate:
what is committed to the file system, against what is kept at the same time, until the backlog is gone or three times
the length of a run is over; its latencies are those of intake meanwhile.

A2 is the whole server with its default settings, under a load that keeps its rate: a request that cannot be sent
because answers are late counts from when it was due. Its baseline is the same process, in turns, while nobody
disturbs it. R17 is a server whose broker is to have all events, against one without; each of its runs takes 8 s at least, after
5 s that do not count. Who polls or reads meanwhile runs on the core of the load, and looks at the status and the end of
each answer only.

G8 is the same load while 1 000 clients ask for a file of 100 MB, take the first bytes of the answer, and then nothing.
All are answered (\`gateway.max-reads=1126\`). They come and go three times: growth is against the memory before they came
first, and the third time against the first.

Memory and CPU are those of the server with its readers, which run on the same core. \`SLUICE_TEST_CORES=0,1\` lets the
server have that of the load as well; \`--against gateway.readers=0\` compares with a server that reads in its own process.
`

const onThreeMachines = `Here the NameNode, the three DataNodes (or the three Kafka brokers) and the collector share two cores and one disk. There is no
network, and the disk syncs each byte four times. So the CPU time of an event, of each process, is what counts; latencies are lower on machines
with a disk of their own. Sluice has one core and the load the other; the JVMs (512 MB of heap each) are bound to none.

In the first row both sides write files with three copies to the same cluster and flush every 5 s; they differ in \`collector.ack\` alone. CPU is
that of a whole run, until all of its events are committed, after a shorter one in which code is compiled. Memory is the peak of Sluice
(\`VmHWM\`) in that run. Latencies are those of another run, at half of the rate.

The bare server in front of Kafka (\`test/bench/replicated/kafka-producer.ts\`) is \`node:http\` with one \`JSON.parse\`, and one request to Kafka for all
events that wait, each of them a message, by the client library that Sluice forwards events with. The topic has three partitions and three
copies, with \`acks=all\` and \`min.insync.replicas=2\`; all other settings are Kafka's defaults. Its messages stay in Kafka: no files are written, as Sluice does in the
same time. Its 202 also promises less: brokers acknowledge what is in their memory and sync it later, as \`collector.replicated.sync=hflush\` does.
Sluice is measured with \`hsync\`, on the disks of all three. The last row shows the difference: a log alone, in a process that does nothing else
(\`test/bench/replicated/groups.ts\`).
`

const besideOthers = `The same load as above, each server on the one core, and what an answer of theirs says:

| server | when it answers | a killed process loses | a power cut loses |
| --- | --- | --- | --- |
| Sluice, as it comes | events are checked, in the log, and synced by \`fdatasync\`, one for all that wait | nothing acknowledged | nothing acknowledged |
| nginx, \`access_log\` | the request is read: the line is written after the answer, with one \`write\`, and never synced | the line of the request at hand | what the kernel has not written back, as a rule up to half a minute |
| nginx, \`buffer=64k flush=1s\` | the request is read: the line goes into the memory of the process after the answer | a second, or 64 KiB of lines | the same as above, and those |
| Flume, HTTP source, file channel | the transaction of the request is in the channel's log and synced by \`fdatasync\` (\`fsyncPerTransaction\`), one for each or for some that wait | nothing acknowledged | nothing acknowledged |

nginx answers by \`return 202\`, looks at no event, and keeps the line of a request in the format \`combined\`: one
process, \`test/bench/others/nginx.ts\`. Flume has its defaults (\`JSONHandler\`, each event a JSON text as its body
and its type as a header, which it does not look into), 1 GB of heap, and a sink that drops 1 000 events at a time;
that is a synced transaction of the channel, too (\`test/bench/others/flume.ts\`). The load of both sides of O2 runs
for 10 s before it counts, so that the JVM has compiled what is hot. Beside a rate stands how much of its core the
server took: well below 100 %, it waited, or others had the core.

O3 is measured as G1, G9 and G10 are. HttpFS is Hadoop's own HTTP gateway, the REST API of WebHDFS by a client of HDFS:
all defaults, but a log of warnings only, one copy of a file as there is one DataNode, and the same 5 ms; 1 GB of heap, on the core of the server
(\`test/bench/others/httpfs.ts\`); a file goes up in one step (\`data=true\`). Both sides run for 10 s before they count.
Where \`OPEN\` or \`LISTSTATUS\` is named, both are asked for the same by the same address but for the port.
Beside two sockets the bare gateway passes on the DataNode's bytes, head and all, and asks no NameNode: the least that a
gateway of this runtime can do.

What is not on the machine is skipped: \`apt-get install nginx-light\`; Flume and HttpFS are fetched by Maven at the first
run, as Hadoop is.
`

const commands = `## Measuring it yourself

\`\`\`sh not-run=takes-hours
npm run bench                                  all figures
npm run bench -- P1 P3 --seconds 2 --rounds 3  some of them, quickly
npm run bench -- O1 O2 O3                      beside nginx, Flume and HttpFS (a JDK; Maven the first time)
npm run bench -- P13                           a log on three DataNodes, beside Kafka (the same)
npm run bench -- --sweep [NAME…]               how costs grow: ${sweeps.map(({ name }) => name).join(', ')}
npm run bench -- --sizes                       start, memory, first row, install
npm run bench -- --all --write                 everything, this page and its plots
npm run bench -- --dir DIR                     on another disk than that of the temporary directory
npm run bench -- --json FILE                   every sample, for scripts
npm run bench -- P1 --profile DIR              CPU profiles of Sluice
npm run bench -- A2:listed --rounds 10         one of several with an id, by words of it
npm run bench -- G4 --against gateway.readers=0   two settings against one another; --set for Sluice alone
npm run bench -- P1 --notes                    the functions that take the time
npm run bench -- --write                       what was measured, into this page
\`\`\`
`
