// Owns what programs do that have no subcommands: which read, which change something, which options decide. Pure data.

import { names } from "./command-options.ts";
import type { CommandEffect } from "./effect.ts";

export interface ProgramRule {
  /** Options whose value may stand in the next word. */
  readonly valued?: ReadonlySet<string>;
  /** Options, by name, that make it change something; they come before `reads`. */
  readonly changes?: RegExp;
  /** Options, by name, that make it only read. */
  readonly reads?: RegExp;
  /** An argument that makes it change something. */
  readonly changingArgument?: RegExp;
  /** Arguments beyond which it changes something. */
  readonly maxArguments?: number;
  /** Without any argument or option. */
  readonly bare?: CommandEffect;
  readonly otherwise: CommandEffect | undefined;
}

/** They read whatever their options and arguments are. */
export const READING_PROGRAMS = names(`
  : [ [[ aa-status arch atop aureport ausearch base64 basename bat blkid cal cat cd cksum clear cmp column comm cut
  df diff dig dirname du dumpe2fs echo egrep exit expr fgrep file findmnt false fold free getcap getconf getenforce getent
  getfacl getfattr getsebool grep groups head hexdump host htop iotop iostat id ip6tables-save ipcs iptables-save jq last lastb lastlog ldd ls lsattr
  lsblk lscpu lsb_release lsipc lslocks lsmod lsns lsof lspci lsusb lvs lvdisplay md5sum matchpathcon modinfo more mpstat mtr
  namei netstat nl nm nproc nslookup numastat od paste pg_config pg_controldata pg_isready pg_lsclusters pgrep pidof
  pidstat ping ping6 pmap printenv printf ps pstree pvs pvdisplay pwd readlink realpath rev rg sar seq sestatus set sha256sum
  sha1sum slabtop sleep stat stern strings sum systemd-analyze systemd-cgls systemd-cgtop systemd-detect-virt tac tail
  test top tr tracepath traceroute true type uname uptime vgs vgdisplay vmstat w wait wc whatis whereis which who whoami
  zcat zgrep zless
`);

/** They change something, whatever their options and arguments are. */
export const CHANGING_PROGRAMS = names(`
  adduser apt-key at batch badblocks chattr chcon chgrp chmod chown chpasswd clusterdb cp createdb createuser dd deluser dropdb
  dropuser e2fsck ed edquota emacs fallocate fsck groupadd groupdel groupmod halt init initdb insmod install ip6tables-restore iptables-restore kexec killall
  link ln logger lvconvert lvcreate lvextend lvreduce lvremove lvresize mkdir mke2fs mkfifo mkfs mknod mkswap modprobe mv
  nano newgrp patch pg_basebackup pg_createcluster pg_dropcluster pg_receivewal pg_recvlogical pg_repack pg_resetxlog
  pg_upgrade pgbench pkill poweroff pvcreate pvremove pvresize reboot reindexdb renice resize2fs rm rmdir rmmod rsync scp
  setcap setenforce setfacl setfattr setsebool sfdisk shred shutdown split swapoff systemd-run systemd-tmpfiles telinit
  touch truncate udevadm umount unlink update-ca-certificates update-ca-trust useradd userdel usermod vacuumdb vgcreate
  vgextend vgreduce vgremove vi vim vipw visudo wipefs xfs_growfs xfs_repair zfs zpool
`);

const CHANGES_UNLESS = (reads: RegExp, more: Partial<ProgramRule> = {}): ProgramRule => ({
  reads,
  otherwise: "changes_state",
  ...more,
});
const READS_UNLESS = (changes: RegExp, more: Partial<ProgramRule> = {}): ProgramRule => ({
  changes,
  otherwise: "read_only",
  ...more,
});

const NETFILTER: ProgramRule = {
  valued: names("-t -p -s -d -i -o -j -m"),
  changes:
    /^(?:-[ADIRFXNPEZ]|--(?:append|delete|insert|replace|flush|zero|new-chain|delete-chain|policy|rename-chain).*)$/,
  reads: /^(?:-[LSC]|--(?:list|list-rules|check))$/,
  otherwise: undefined,
};
const DUMP = READS_UNLESS(/^(?:-f|--file)$/, {
  valued: names("-h -p -U -d -t -n -N -T -F -Z -E -j --host --dbname --table"),
});

/** They read or change, as their options and arguments say. */
export const PROGRAM_RULES: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries<ProgramRule>({
    arp: READS_UNLESS(/^(?:-[sdf]|--(?:set|delete|file))$/),
    auditctl: CHANGES_UNLESS(/^-[ls]$/, { changes: /^-[aAdDwWeRbfr]$/ }),
    chage: CHANGES_UNLESS(/^(?:-l|--list)$/),
    conntrack: { changes: /^-[DFIU]$/, reads: /^-[LCSGE]$/, otherwise: undefined },
    coredumpctl: READS_UNLESS(/^(?:-o|--output)$/, { changingArgument: /^(?:debug|gdb)$/ }),
    crontab: CHANGES_UNLESS(/^-l$/, { valued: names("-u") }),
    date: READS_UNLESS(/^(?:-s|--set)$/, {
      valued: names("-d --date -r --reference -f --file"),
      changingArgument: /^[^+]/,
    }),
    dmesg: READS_UNLESS(/^(?:-[cCDEn]|--(?:clear|read-clear|console-.*))$/, {
      valued: names("-l -f -s --level --facility"),
    }),
    dockerd: CHANGES_UNLESS(/^(?:--validate|--version|-v)$/),
    dpkg: CHANGES_UNLESS(/^(?:-[lLsSpV]|--(?:list|listfiles|status|search|verify|audit|get-selections))$/),
    ethtool: READS_UNLESS(
      /^(?:-[ACEGKLNPUWXefprst]|--(?:set|change|reset|flash|identify|negotiate|test|config|pause|coalesce).*)$/,
      {
        maxArguments: 1,
      },
    ),
    fdisk: CHANGES_UNLESS(/^(?:-l|--list)$/),
    "firewall-cmd": {
      changes:
        /^--(?:add|remove|set|new|delete|change|reload|complete-reload|runtime-to|panic-o|direct|passthrough|load|permanent-).*$/,
      reads: /^--(?:list|get|query|state|info|check-config|version).*$/,
      otherwise: undefined,
    },
    fuser: READS_UNLESS(/^(?:-k|--kill)$/),
    gunzip: CHANGES_UNLESS(/^(?:-[clt]|--(?:stdout|list|test))$/),
    gzip: CHANGES_UNLESS(/^(?:-[clt]|--(?:stdout|list|test))$/),
    hostname: READS_UNLESS(/^(?:-[Fb]|--(?:file|boot))$/, { maxArguments: 0 }),
    ifconfig: READS_UNLESS(/^$/, { maxArguments: 1 }),
    ip6tables: NETFILTER,
    iptables: NETFILTER,
    journalctl: READS_UNLESS(/^--(?:rot|vac|flu|syn|relinquish|smart-relinquish|update-cat|setup-key|cursor-file).*$/, {
      valued: names("-n -u -p -S -U -o -t -g -c -b -M -D"),
    }),
    less: READS_UNLESS(/^(?:-[oO]|--(?:log-file|LOG-FILE))$/, { valued: names("-p -b -x -j") }),
    logrotate: CHANGES_UNLESS(/^(?:-d|--debug)$/),
    mount: READS_UNLESS(/^(?:-[aBMRo]|--(?:all|bind|move|rbind|options|make-.*))$/, {
      valued: names("-t --types -O"),
      maxArguments: 0,
    }),
    nc: { reads: /^-z$/, otherwise: undefined },
    parted: { reads: /^(?:-l|--list)$/, otherwise: undefined },
    passwd: CHANGES_UNLESS(/^(?:-S|--status)$/),
    pg_amcheck: READS_UNLESS(/^--install-missing$/),
    pg_checksums: READS_UNLESS(/^(?:-[ed]|--(?:enable|disable))$/, { valued: names("-D -f --pgdata --filenode") }),
    pg_dump: DUMP,
    pg_dumpall: DUMP,
    pg_resetwal: CHANGES_UNLESS(/^(?:-n|--dry-run)$/),
    pg_restore: CHANGES_UNLESS(/^(?:-l|--list)$/, { changes: /^(?:-d|--dbname)$/ }),
    pg_rewind: CHANGES_UNLESS(/^(?:-n|--dry-run)$/),
    pg_waldump: READS_UNLESS(/^--save-fullpage$/),
    restorecon: CHANGES_UNLESS(/^-n$/),
    route: READS_UNLESS(/^$/, { changingArgument: /^/ }),
    rpm: CHANGES_UNLESS(/^(?:-[qV]|--(?:query|verify))$/),
    semanage: CHANGES_UNLESS(/^(?:-[lE]|--(?:list|extract))$/, {
      changes: /^(?:-[admDi]|--(?:add|delete|modify|deleteall|import))$/,
    }),
    semodule: CHANGES_UNLESS(/^(?:-l|--list.*)$/),
    smartctl: READS_UNLESS(/^(?:-[tsoSX]|--(?:test|smart|offlineauto|saveauto|abort|set))$/, {
      valued: names("-d -l -n"),
    }),
    sort: READS_UNLESS(/^(?:-o|--output|--compress-program)$/, { valued: names("-k -t -S -T") }),
    ss: READS_UNLESS(/^(?:-[KD]|--(?:kill|diag))$/, { valued: names("-f -A -F") }),
    swapon: CHANGES_UNLESS(/^(?:-s|--(?:show|summary))$/, { bare: "read_only" }),
    sysctl: READS_UNLESS(/^(?:-[wpf]|--(?:write|load|system))$/, {
      valued: names("-r --pattern"),
      changingArgument: /=/,
    }),
    tar: {
      changes: /^(?:-[cxruA]|--(?:create|extract|get|append|update|delete|concatenate))$/,
      reads: /^(?:-t|--list)$/,
      otherwise: undefined,
    },
    tcpdump: READS_UNLESS(/^-[wz]$/, { valued: names("-i -c -r -s -G -C -W -B -F -T -y") }),
    tee: READS_UNLESS(/^$/, { changingArgument: /^(?!\/dev\/(?:null|stdout|stderr|tty)$)/ }),
    tree: READS_UNLESS(/^-o$/, { valued: names("-L -P -I") }),
    tune2fs: CHANGES_UNLESS(/^-l$/),
    ulimit: READS_UNLESS(/^$/, { maxArguments: 0 }),
    uniq: READS_UNLESS(/^$/, { valued: names("-f -s -w"), maxArguments: 1 }),
    unzip: CHANGES_UNLESS(/^-[lptvZ]$/),
    yq: READS_UNLESS(/^(?:-i|--in-?place)$/),
  }),
);
