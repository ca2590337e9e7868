// Failure mechanisms of one machine: memory, processor, processes, disks, volumes.

import type { Mechanism } from "./mechanism.ts";

export const MACHINE_MECHANISMS: readonly Mechanism[] = [
  {
    name: "resource-exhausted",
    label: "a resource ran out",
    broader: [],
    phrases: {
      sure: "resource exhausted, resource temporarily unavailable, eagain",
      likely: "limit reached",
      hint: "exhausted, exhaustion, limit exceeded",
    },
  },
  {
    name: "memory-exhausted",
    label: "memory ran out",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `oom, out memory, outofmemory, enomem, {cannot} allocate memory|bytes|buffer|shared-memory, bad alloc, MemoryError
        memory & exhausted|exhaustion|insufficient|not-enough, memory limit|size|cap & exceeded|reached|hit|over
        memory killed, allocation * bytes failed, {sqlstate} 53200`,
      likely: "{exit} 137, allocation failure, memory limit|peak|{nineties}, exceeded available memory",
      hint: `memory usage|consumption|utilization|spike|footprint|high|low|full|used, high|low memory, working set, resident memory
        rss, ram`,
    },
  },
  {
    name: "heap-exhausted",
    label: "the heap of a runtime is full",
    broader: ["memory-exhausted"],
    phrases: {
      sure: `heap space|limit|{exhausted}, heap out memory, metaspace, gc overhead limit, mark compacts, full gc, pause full
        last resort`,
      likely: "gc & long|overhead|thrashing|pressure|constant, major gc, old gen",
      hint: "heap, gc pause",
    },
  },
  {
    name: "host-memory-exhausted",
    label: "a host ran out of memory",
    broader: ["memory-exhausted"],
    phrases: {
      sure: `memory pressure, invoked oom killer, swap {exhausted}, no free swap, page allocation failure, low * memory
        node|host|machine|vm & out-of-memory|oom, system oom, global oom, oom kill constraint, memory stall`,
      likely: "swapping, memory overcommit, mem available, pressure memory",
      hint: "buff cache, kbmemused",
    },
  },
  {
    name: "memory-leak",
    label: "memory leaks",
    broader: ["memory-exhausted"],
    phrases: {
      sure: `memory|heap|goroutine|listener|buffer|thread|handle & leak
        memory|rss|heap & grows|growth|climbs|rises|creeps until|slowly|steadily|slow|after|over|without, slow growth`,
      likely: "memory|rss|heap|goroutines|listeners {growing}, leak",
      hint: "heap snapshot|histogram|profile|dump, inuse space, retainers, histo, goroutines",
    },
  },
  {
    name: "memory-setting",
    label: "a memory setting does not fit",
    broader: ["memory-exhausted", "config-invalid"],
    phrases: {
      likely: `max heap, memory|heap|buffer|cache size|request|setting & changed|wrong|too-small|lowered|raised, right size
        shared buffers, buffer pool size, huge pages, heap larger, work mem, overcommit`,
      hint: "memory requests|size",
    },
  },
  {
    name: "killed-by-signal",
    label: "a process was killed by a signal",
    broader: ["process-ended"],
    symptom: true,
    phrases: {
      sure: "sigkill, signal killed|9, killed process, kill 9",
      likely: `sigterm, {exit} 137|143, killed|terminated|died|exited|ended signal, signal 15|terminated, status 9 kill`,
      hint: "killed",
    },
  },
  {
    name: "process-crashed",
    label: "a process crashed in native code",
    broader: ["process-ended"],
    phrases: {
      sure: `segfault, sigsegv|sigabrt|sigbus|sigill, segmentation fault|violation, core dumped, coredump, signal 6|11|4|7|8
        access violation, double free, general protection fault, {exit} 134|139, kernel panic, aborted core`,
      hint: "crashed",
    },
  },
  {
    name: "process-hung",
    label: "a process hangs",
    broader: [],
    symptom: true,
    phrases: {
      sure: "blocked more * seconds, hung task, watchdog * timeout|timed-out|bug, task * blocked",
      likely: "hung, hangs, unresponsive, frozen, freezes, watchdog, no progress",
      hint: "not responding, stuck, stalled",
    },
  },
  {
    name: "process-ended",
    label: "a process ended unexpectedly",
    broader: [],
    symptom: true,
    phrases: {
      likely: `exited|terminated|died|quit|stopped & unexpectedly, main process exited, failed result, {exit} non zero`,
      hint: "exit code|status 1|2|255, service down, process died|gone, failed start",
    },
  },
  {
    name: "disk-full",
    label: "a disk is full",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `enospc, {sqlstate} 53100, {disk} * full, full {disk}, out disk|storage|space|diskspace
        not|not-enough|insufficient|no * disk|storage|free|enough space, no space
        {cannot} extend|reclaim file|table|segment|tablespace|bytes, watermark & exceeded|flood|high|low, flood stage
        {disk} {exhausted}, errno 28`,
      likely: `disk pressure, {nineties} full|used, {disk} * {nineties}, low disk|storage|free-space, {disk} * filled
        disk|free space low|below|critical, {nineties} var|data|mnt|srv|opt|home|boot|run`,
      hint: "disk usage|space|utilization, space left, filesystem avail",
    },
  },
  {
    name: "inodes-exhausted",
    label: "a file system has no free inodes",
    broader: ["disk-full"],
    phrases: {
      sure: "inode & {exhausted}|out|no|free|zero|used|usage|{nineties}, iuse|iused|ifree",
      likely: "inode, too many|millions * files, small files, session files",
    },
  },
  {
    name: "file-descriptors-exhausted",
    label: "file descriptors ran out",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `too many open files, emfile, enfile, file descriptor|handle & {exhausted}|limit|out|leak|max, fd leak|limit`,
      likely: `nofile, open files, ulimit, open fds|fd|descriptors, max fds, inotify & limit|instances|watches, lsof`,
      hint: "file descriptor, fd",
    },
  },
  {
    name: "threads-exhausted",
    label: "the limit of threads or processes is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `{cannot} create|start|spawn * thread|process|task, fork * resource|failed|rejected, {cannot} fork
        process|thread|task limit, too many threads|processes, pids & max|limit|exhausted, tasks max`,
      likely: "zombie|defunct processes, thread leak, nproc",
    },
  },
  {
    name: "cpu-throttled",
    label: "a CPU limit throttles a process",
    broader: ["cpu-saturated"],
    phrases: {
      sure: `cpu & throttled, cfs quota|throttled, nr throttled, throttled periods|seconds|usec|time, noisy neighbour|neighbor
        thread starvation clock, cfs periods`,
      likely: "cpu quota|credits|shares|max|request, cpu pressure|limits, steal, pressure cpu, not scheduled",
      hint: "available processors",
    },
  },
  {
    name: "cpu-saturated",
    label: "the CPU is saturated",
    broader: ["resource-exhausted"],
    phrases: {
      sure: "cpu & {exhausted}|{nineties}|pegged|overloaded|contention, soft lockup, cpu high",
      likely: "high cpu|load, cpu wait",
    },
  },
  {
    name: "cpu-spin",
    label: "code runs in a loop",
    broader: ["cpu-saturated"],
    phrases: {
      sure: "infinite|endless|busy|tight loop, spinning, runaway process|query|thread|job, infinite recursion",
      likely: "event loop lag|delay|blocked, reconcile loop, maximum call stack",
    },
  },
  {
    name: "io-error",
    label: "a disk returns errors",
    broader: [],
    phrases: {
      sure: `IOError, input output error, medium error, bad sector|block|disk, uncorrectable, unrecovered read, blk update request
        disk|drive|ssd|device|smart failed|failure|fault|error, reallocated|pending sectors, sense key
        failed command read|write, media errors`,
      likely: `read|write error, failing disk|drive, sector, {cannot} read block|page, fs error, consistency error, reset device|raid
        smart`,
    },
  },
  {
    name: "slow-disk",
    label: "a disk is slow",
    broader: [],
    phrases: {
      sure: `slow fdatasync|disk|storage|io|write, disk|storage|fsync|io|volume slow|latency|throttled|saturated, iowait
        burst balance|credit, iops & limit|exceeded|exhausted|throttled|provisioned, fsync & long|took|slow`,
      hint: "iops, disk busy, await",
    },
  },
  {
    name: "read-only-filesystem",
    label: "a file system is read-only",
    broader: [],
    phrases: {
      sure: "{disk}|fs|mount & {readonly}, erofs, remounting * {readonly}",
      likely: "ro relatime",
    },
  },
  {
    name: "storage-degraded",
    label: "redundant storage lost a part",
    broader: [],
    phrases: {
      sure: `raid|array|volume|mirror|pool & degraded|faulted, under replicated, underreplicated
        replica|shard missing|unassigned|lost, unassigned shard, drive|disk missing|removed`,
      likely: "rebuilding",
    },
  },
  {
    name: "volume-not-mounted",
    label: "a volume cannot be attached or mounted",
    broader: [],
    phrases: {
      sure: `{cannot}|waiting mount|attach|detach|unmount|attachment * volume|disk|device|share, FailedMount
        mount|attach|detach {failed}|timed-out|conflict, multi attach, wrong fs type, bad superblock
        volume|pvc|claim|disk & already|exclusively|in-use|stuck|detaching|attaching|zone|unbound, not mounted, zone mismatch
        attaching & {failed}, {cannot} open|lock|access * disk|volume`,
      likely: "provisioning failed, waiting device, volume attachment, lock file failed",
      hint: "attachments, availability zone",
    },
  },
  {
    name: "stale-file-handle",
    label: "network storage lost its connection",
    broader: [],
    phrases: {
      sure: "stale * handle, estale, transport endpoint not connected, not responding still trying",
    },
  },
  {
    name: "file-missing",
    label: "a file is missing",
    broader: [],
    phrases: {
      sure: "enoent, NoSuchFile, file|path|directory {missing}, file * missing, missing file",
      likely: "{cannot} find|open|stat|locate * file|path",
    },
  },
  {
    name: "stale-lock",
    label: "a lock was left behind",
    broader: [],
    phrases: {
      sure: `stale|orphaned|abandoned|leftover|old lock|pid|lockfile|lease, lock file|lockfile & exists|held|stale, state lock
        {cannot} acquire|get|obtain * file|lockfile|exclusive lock
        another instance|process|operation * running|progress|holding|lock, lock * not released`,
      likely: "already running, locked another, pid file, exclusive lock",
    },
  },
];
