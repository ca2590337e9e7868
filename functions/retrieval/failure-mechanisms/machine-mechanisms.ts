// Failure mechanisms of one machine: memory, processor, processes, disks, volumes.

import type { Mechanism } from "./mechanism.ts";

export const MACHINE_MECHANISMS: readonly Mechanism[] = [
  {
    name: "resource-exhausted",
    label: "a resource ran out",
    broader: [],
    phrases: {
      sure: "resource exhausted, resource temporarily unavailable, eagain",
      likely: "insufficient resource|capacity, not enough resource|capacity, out of resource|capacity, limit reached",
      hint: "exhausted, exhaustion, limit exceeded, running low",
    },
  },
  {
    name: "memory-exhausted",
    label: "memory ran out",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `oom, oomkilled, oomkiller, out of memory, outofmemory, OutOfMemoryError, enomem, {cannot} allocate memory|bytes|buffer
        memory allocation|alloc {failed}, allocation * bytes failed, bad alloc, MemoryError, allowed memory size * exhausted
        exceeded|over|above|hit|beyond * memory limit, memory limit * exceeded|reached|hit, memory exhausted|exhaustion, exhausted memory
        insufficient|not-enough memory, memory killed, {sqlstate} 53200, no more memory`,
      likely: "exit 137, {exit} 137, memory limit, memory {nineties}, allocation failure",
      hint: `memory usage|consumption|utilization|utilisation|spike|footprint, high|low memory, memory high|low|full|grew
        memory|rss {growing}, ram full|usage`,
    },
  },
  {
    name: "heap-exhausted",
    label: "the heap of a runtime is full",
    broader: ["memory-exhausted"],
    phrases: {
      sure: "heap space, heap limit, heap out of memory, heap {exhausted}, metaspace, gc overhead limit, ineffective mark compacts",
      likely:
        "full gc, gc|garbage-collection & pause|overhead|thrashing|pressure|long, stop the world, allocation failed heap",
      hint: "heap usage|size|growth|high|dump, high heap",
    },
  },
  {
    name: "host-memory-exhausted",
    label: "a host ran out of memory",
    broader: ["memory-exhausted"],
    phrases: {
      sure: `memory pressure, invoked oom killer, swap {exhausted}|used, no free swap, page allocation failure, low on * memory
        node|host|machine|server|vm & out-of-memory|oom`,
      likely: "swapping, swap thrashing, memory overcommit|overcommitted",
    },
  },
  {
    name: "memory-leak",
    label: "memory leaks",
    broader: ["memory-exhausted"],
    phrases: {
      sure: "memory & leak|leaks|leaking, heap|goroutine|listener|buffer leak",
      likely:
        "memory|rss|heap keeps|steadily|slowly|constantly {growing}, memory|rss {growing} until|over|steadily|slowly",
    },
  },
  {
    name: "killed-by-signal",
    label: "a process was killed by a signal",
    broader: ["process-ended"],
    phrases: {
      sure: "sigkill, signal killed, signal 9, killed process, kill 9, killed|terminated|died * signal 9",
      likely: "sigterm, {exit} 137|143, killed|terminated|died|exited|ended signal, signal 15|terminated",
      hint: "killed, got killed",
    },
  },
  {
    name: "process-crashed",
    label: "a process crashed in native code",
    broader: ["process-ended"],
    phrases: {
      sure: `segfault, sigsegv, sigabrt, sigbus, sigill, segmentation fault|violation, core dumped|dump, signal 6|11|4|7|8, bus error
        illegal instruction, access violation, double free, general protection fault, {exit} 134|139|132|136, coredump, kernel panic
        stack smashing, aborted core, assertion * failed aborted, fatal signal`,
      likely: "crashed, crash dump",
      hint: "crash, crashes",
    },
  },
  {
    name: "process-hung",
    label: "a process hangs",
    broader: [],
    phrases: {
      sure: "blocked for more than * seconds, hung task, watchdog * timeout|timed-out|bug, event loop blocked|stalled, task * blocked",
      likely: "hung, hangs, hanging, unresponsive, frozen, freezes, watchdog, no progress, livelock",
      hint: "not responding, stuck, stalled",
    },
  },
  {
    name: "process-ended",
    label: "a process ended unexpectedly",
    broader: [],
    phrases: {
      likely: `exited|terminated|died|quit|stopped unexpectedly, unexpectedly exited|terminated|stopped|died, main process exited
        failed to start, failed result, exited non zero, nonzero exit`,
      hint: "exit code|status 1|2|255, exited 1|2|255, service down, process died|exited|gone",
    },
  },
  {
    name: "disk-full",
    label: "a disk is full",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `no space left, enospc, StorageFull, {sqlstate} 53100, disk|volume|device|filesystem|file-system|partition|storage|tablespace|drive * full
        out of disk|storage|space|diskspace, insufficient|not-enough|no * disk|storage space, not-enough|insufficient|no space, {cannot} extend file|table|segment|tablespace
        disk|high-disk watermark exceeded|flood, flood stage, disk|volume|storage|filesystem {exhausted}, full disk|volume|filesystem|partition, disk space ran out`,
      likely: `disk pressure, edquot, disk quota, {nineties} full|used, disk|filesystem|volume|partition|storage {nineties}, low disk|storage|free-space, disk space low
        filled * disk|volume|partition|filesystem, disk|volume|partition|filesystem|drive * filled, free|disk space low|below|critical, fills|filling up * disk|volume`,
      hint: "disk usage|space|utilization, space left, disk low",
    },
  },
  {
    name: "inodes-exhausted",
    label: "a file system has no free inodes",
    broader: ["disk-full"],
    phrases: {
      sure: "inode & {exhausted}|out|no|free|zero|used|usage|{nineties}",
      likely: "inode, too many small files",
    },
  },
  {
    name: "file-descriptors-exhausted",
    label: "file descriptors ran out",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `too many open files, emfile, enfile, file descriptor|handle & {exhausted}|limit|out|leak|leaked|too-many, out of file descriptors
        file table overflow, fd leak|limit|exhausted, too many * watches|watchers, inotify & limit|exhausted|instances`,
      likely: "nofile, open files limit|limits, max open files, ulimit, open file descriptors",
    },
  },
  {
    name: "threads-exhausted",
    label: "the limit of threads or processes is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `{cannot} create|start|spawn * thread, fork * resource temporarily|failed|cannot, {cannot} fork, pid|pids|process|thread limit
        too many threads|processes, pthread create, pids & max|limit|exhausted, process table full, no more processes, threads exhausted`,
      likely: "zombie processes, defunct processes, thread leak, nproc, thread count, fork bomb",
    },
  },
  {
    name: "cpu-throttled",
    label: "a CPU limit throttles a process",
    broader: ["cpu-saturated"],
    phrases: {
      sure: "cpu & throttled|throttling|throttle, cfs quota|throttled|throttling, nr throttled, throttled periods",
      likely: "cpu limit|quota|credits|credit",
    },
  },
  {
    name: "cpu-saturated",
    label: "the CPU is saturated",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `cpu & {exhausted}|{nineties}|starving|pegged|maxed|overloaded|contention, soft lockup, steal time, cpu steal, rcu * stall
        rcu self detected, cpu high`,
      likely: "high cpu|load, cpu usage|utilization|utilisation|spike|pressure|bound, load average, load too high",
    },
  },
  {
    name: "cpu-spin",
    label: "code runs in a loop",
    broader: ["cpu-saturated"],
    phrases: {
      sure: "infinite|endless|busy|hot|tight loop, spinning, busy waiting, catastrophic backtracking, runaway process|query|thread|job, stuck in loop, infinite recursion",
      likely: "event loop lag|delay, reconcile|reconciliation loop, loops forever, maximum call stack, recursion depth",
    },
  },
  {
    name: "io-error",
    label: "a disk returns errors",
    broader: [],
    phrases: {
      sure: `io error, IOError, eio, input output error, medium|media error, bad sector|block, uncorrectable, unrecovered read, blk update request
        disk|drive|ssd failed|failure|failing|fault, smart failure|failed|error, reallocated sectors, sense key`,
      likely: "read|write error, disk error, drive dead",
    },
  },
  {
    name: "slow-disk",
    label: "a disk is slow",
    broader: [],
    phrases: {
      sure: `slow fdatasync|fsync|disk|storage|io|write, disk|storage|fsync|io|volume slow|latency|throttled|saturated, iowait, io wait
        burst balance|credit, iops & limit|exceeded|exhausted|throttled|saturated|provisioned, fsync & long|took|slow, took too long * disk|fsync`,
      hint: "io utilization, high io, iops, disk busy",
    },
  },
  {
    name: "read-only-filesystem",
    label: "a file system is read-only",
    broader: [],
    phrases: {
      sure: "{readonly} file-system|filesystem|filesystems|fs|disk|volume, erofs, remounting|remounted|remount|mounted|mount * {readonly}, filesystem|volume|disk|mount * {readonly}",
    },
  },
  {
    name: "storage-degraded",
    label: "redundant storage lost a part",
    broader: [],
    phrases: {
      sure: `degraded array|volume|raid|pool|redundancy|data|mirror|replica, raid|array|volume|mirror & degraded|faulted, under replicated, underreplicated
        undersized, replica|shard|shards missing|unassigned|lost, unassigned shard, missing|lost replica, drive|disk missing|removed|offline`,
      likely: "degraded storage, faulted, resilver, rebuilding, rebuild",
    },
  },
  {
    name: "volume-not-mounted",
    label: "a volume cannot be attached or mounted",
    broader: [],
    phrases: {
      sure: `{cannot} mount|attach|attached|mounted * volume|disk|device|share, FailedMount, failed mount|attach|AttachVolume|unmount|detach, mount|attach|detach failed|failure|error|timed-out
        multi attach, wrong fs type, bad superblock, volume * already attached|exclusively|in-use, {timeout} * attach|mount|mounted|volumes, still attached, not mounted
        unbound * claim|volumeclaims|claims, mount point|target busy, volume & stuck|detaching|attaching, provisioning|provision * volume failed, failed provision * volume`,
      likely: "special device, claim * pending|unbound|lost, provisioning failed, no persistent volumes",
    },
  },
  {
    name: "stale-file-handle",
    label: "network storage lost its connection",
    broader: [],
    phrases: {
      sure: "stale * file handle, estale, stale handle|mount, transport endpoint not connected, not responding still trying, file server|share unreachable|disconnected",
    },
  },
  {
    name: "file-missing",
    label: "a file is missing",
    broader: [],
    phrases: {
      sure: "no such file, enoent, file * {missing}, {cannot} find|open|stat|locate * file|path, missing file, file|path|directory {missing}, NoSuchFile",
    },
  },
  {
    name: "stale-lock",
    label: "a lock was left behind",
    broader: [],
    phrases: {
      sure: `stale|orphaned|abandoned|leftover lock|pid|lockfile, lock file|lockfile & exists|held|stale|acquire|get|obtain, state lock, {cannot} acquire|get|obtain * state|file|lockfile lock
        another instance|process|operation * running|progress|holding|lock|locked, lock held already, lock never released, lock * not released`,
      likely: "already running, locked by another, force unlock, pid file",
    },
  },
];
