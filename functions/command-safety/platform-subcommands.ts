// Owns what the subcommands of docker, podman, kubectl, helm and systemctl do: which read, which change. Pure data.

import { subcommandRules } from "./subcommand-rules.ts";

const OUTPUT_FILE = /^(?:-o|--output)(?:=.*)?$/;
const DRY_RUN = /^--dry-run(?:=(?:client|server|true))?$/;

export const CONTAINERS = subcommandRules({
  valued: `-H --host --context -c --config -l --log-level -n --namespace --address --connection --url --identity --root
    --runroot -f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress -u --user
    -w --workdir -e --env --detach-keys --index --format --filter --sort --size`,
  reading: `ps images inspect logs stats events info version top port diff search history wait save export
    container: ls list ps inspect logs stats top port diff exists wait export
    image: ls list inspect history exists tree save
    images: ls
    network: ls list inspect exists
    volume: ls list inspect exists
    system: df info events check
    system connection: ls list
    context: ls list show inspect
    compose: ps logs config ls top images port events version stats
    pod: ps ls list inspect logs stats top exists
    node: ls ps inspect
    service: ls ps inspect logs
    stack: ls ps services
    secret: ls inspect
    config: ls inspect
    manifest: inspect
    buildx: ls inspect du version
    buildx imagetools: inspect
    plugin: ls inspect
    machine: ls list inspect info
    quadlet: list print`,
  changing: `run create start stop restart kill rm rmi pause unpause rename update pull push build commit import load tag untag
    cp prune login logout deploy play init auto-update
    container: run create start stop restart kill rm pause unpause rename update prune commit cp checkpoint restore cleanup init
    image: rm prune pull push tag untag build load import scp sign
    network: create rm remove connect disconnect prune reload update
    volume: create rm remove prune import reload update
    system: prune reset migrate renumber service
    builder: prune
    buildx: build bake create rm prune use stop
    compose: up down start stop restart kill rm run pull push build create pause unpause cp scale watch
    pod: create start stop restart kill rm pause unpause prune clone
    kube: play down apply
    service: create update scale rm rollback
    node: update promote demote rm
    stack: deploy up rm down remove
    swarm: init join leave update ca unlock unlock-key
    secret: create rm
    config: create rm
    context: use create rm update import
    plugin: install enable disable rm upgrade set
    machine: init start stop rm set reset
    manifest: create add annotate push rm remove
    quadlet: install rm`,
  runs: { exec: 1, "container exec": 1, "compose exec": 1, unshare: 0 },
  changes: {
    save: OUTPUT_FILE,
    "image save": OUTPUT_FILE,
    export: OUTPUT_FILE,
    "container export": OUTPUT_FILE,
    "compose config": OUTPUT_FILE,
    "system check": /^(?:-[rf]|--(?:repair|force|repair-lossy))(?:=.*)?$/,
  },
  reads: { login: /^--get-login$/, "auto-update": DRY_RUN },
});

export const COMPOSE = subcommandRules({
  valued:
    "-f --file -p --project-name --profile --env-file --project-directory --ansi -u --user -w --workdir -e --env --index",
  reading: "ps logs config ls top images port events version stats",
  changing: "up down start stop restart kill rm run pull push build create pause unpause cp scale watch",
  runs: { exec: 1 },
  changes: { config: OUTPUT_FILE },
});

export const KUBECTL = subcommandRules({
  valued: `-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout -v --v
    -c --container -l --selector -o --output -f --filename -p --patch --field-selector --sort-by --tail --since -L
    --cache-dir --certificate-authority --client-certificate --client-key --tls-server-name --type --for --timeout
    --grace-period --replicas --template --username --password`,
  reading: `get describe logs log top explain api-resources api-versions version events diff wait kustomize cluster-info options
    completion
    auth: can-i whoami
    rollout: status history
    config: view get-contexts current-context get-clusters get-users
    apply: view-last-applied
    set: last-applied
    plugin: list
    adm: top
    certificate: get`,
  changing: `delete apply create replace patch edit scale autoscale set label annotate taint drain cordon uncordon run expose cp
    debug evict
    rollout: restart undo pause resume
    certificate: approve deny
    auth: reconcile
    config: use-context use set set-context set-cluster set-credentials unset delete-context delete-cluster delete-user
    config: rename-context
    adm: drain cordon uncordon taint`,
  runs: { exec: 1, rsh: 1 },
  changes: { "cluster-info": /^--output-directory/, "set last-applied": /^/ },
  reads: { "": DRY_RUN },
});

export const UNITS = subcommandRules({
  valued: `-H --host -M --machine -t --type -p --property -P -n --lines -o --output -s --signal --kill-who --kill-whom --root
    --job-mode --what --image --preset-mode --when --check-inhibitors --state`,
  bare: "read_only",
  reading: `status show cat help list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines
    list-automounts list-paths is-active is-enabled is-failed is-system-running show-environment get-default`,
  changing: `start stop restart reload try-restart reload-or-restart try-reload-or-restart force-reload condrestart isolate kill clean
    freeze thaw set-property enable disable reenable preset preset-all mask unmask link edit daemon-reload daemon-reexec
    reset-failed set-default revert add-wants add-requires set-environment unset-environment import-environment cancel reboot
    poweroff halt suspend hibernate hybrid-sleep rescue emergency default exit switch-root kexec soft-reboot bind
    mount-image`,
});

export const HELM = subcommandRules({
  valued:
    "-n --namespace --kube-context --kubeconfig -f --values --set --set-string --version -o --output --burst-limit",
  reading: `list ls status history hist template search show inspect version env lint verify
    get: all values manifest notes hooks metadata
    repo: list ls
    dependency: list ls
    dep: list ls
    plugin: list ls`,
  changing: `install upgrade rollback uninstall delete del un push pull fetch package create test
    repo: add update up remove rm index
    dependency: update up build
    dep: update up build
    plugin: install uninstall update
    registry: login logout`,
  changes: { template: /^--output-dir/ },
  reads: { "": DRY_RUN },
});
