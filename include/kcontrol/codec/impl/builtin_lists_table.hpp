// Written by scripts/generate-list-table.py; the format is described in builtin_lists.hpp.
#pragma once

#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

// clang-format off
inline constexpr std::array<std::string_view, 2> builtin_lists_table = {
R"table(K - v1 Binding 0
K - v1 ComponentStatus 1
K - v1 ConfigMap 2
K - v1 Endpoints 3
K - v1 Event 4
K - v1 LimitRange 5
K - v1 Namespace 6
K - v1 Node 7
K - v1 PersistentVolume 8
K - v1 PersistentVolumeClaim 9
K - v1 Pod 10
K - v1 PodTemplate 11
K - v1 ReplicationController 12
K - v1 ResourceQuota 13
K - v1 Secret 14
K - v1 Service 15
K - v1 ServiceAccount 16
K admissionregistration.k8s.io v1 MutatingAdmissionPolicy 17
K admissionregistration.k8s.io v1 MutatingAdmissionPolicyBinding 18
K admissionregistration.k8s.io v1 MutatingWebhookConfiguration 19
K admissionregistration.k8s.io v1 ValidatingAdmissionPolicy 20
K admissionregistration.k8s.io v1 ValidatingAdmissionPolicyBinding 21
K admissionregistration.k8s.io v1 ValidatingWebhookConfiguration 22
K apiextensions.k8s.io v1 CustomResourceDefinition 23
K apiregistration.k8s.io v1 APIService 24
K apps v1 ControllerRevision 25
K apps v1 DaemonSet 26
K apps v1 Deployment 27
K apps v1 ReplicaSet 28
K apps v1 StatefulSet 29
K authentication.k8s.io v1 SelfSubjectReview 30
K authentication.k8s.io v1 TokenRequest 31
K authentication.k8s.io v1 TokenReview 32
K authorization.k8s.io v1 LocalSubjectAccessReview 33
K authorization.k8s.io v1 SelfSubjectAccessReview 34
K authorization.k8s.io v1 SelfSubjectRulesReview 35
K authorization.k8s.io v1 SubjectAccessReview 36
K autoscaling v1 HorizontalPodAutoscaler 37
K autoscaling v1 Scale 38
K autoscaling v2 HorizontalPodAutoscaler 39
K batch v1 CronJob 40
K batch v1 Job 41
K certificates.k8s.io v1 CertificateSigningRequest 42
K certificates.k8s.io v1 ClusterTrustBundle 43
K certificates.k8s.io v1 PodCertificateRequest 44
K coordination.k8s.io v1 Lease 45
K discovery.k8s.io v1 EndpointSlice 46
K events.k8s.io v1 Event 47
K flowcontrol.apiserver.k8s.io v1 FlowSchema 48
K flowcontrol.apiserver.k8s.io v1 PriorityLevelConfiguration 49
K networking.k8s.io v1 IPAddress 50
K networking.k8s.io v1 Ingress 51
K networking.k8s.io v1 IngressClass 52
K networking.k8s.io v1 NetworkPolicy 53
K networking.k8s.io v1 ServiceCIDR 54
K node.k8s.io v1 RuntimeClass 55
K policy v1 Eviction 56
K policy v1 PodDisruptionBudget 57
K rbac.authorization.k8s.io v1 ClusterRole 58
K rbac.authorization.k8s.io v1 ClusterRoleBinding 59
K rbac.authorization.k8s.io v1 Role 60
K rbac.authorization.k8s.io v1 RoleBinding 61
K resource.k8s.io v1 DeviceClass 62
K resource.k8s.io v1 DeviceTaintRule 63
K resource.k8s.io v1 ResourceClaim 64
K resource.k8s.io v1 ResourceClaimTemplate 65
K resource.k8s.io v1 ResourceSlice 66
K scheduling.k8s.io v1 PriorityClass 67
K storage.k8s.io v1 CSIDriver 68
K storage.k8s.io v1 CSINode 69
K storage.k8s.io v1 CSIStorageCapacity 70
K storage.k8s.io v1 StorageClass 71
K storage.k8s.io v1 VolumeAttachment 72
K storage.k8s.io v1 VolumeAttributesClass 73
K storagemigration.k8s.io v1 StorageVersionMigration 74
T 4 metadata=#433 target=#241
T 4 conditions=[]#166|type metadata=#433
T 6 metadata=#433
T 4 metadata=#433 subsets=[]#190
T 17 involvedObject=#241 metadata=#433 related=#241
T 4 metadata=#433 spec=#218
T 5 metadata=#433 status=#226
T 5 metadata=#433 spec=#238 status=#239
T 5 metadata=#433 spec=#247
T 5 metadata=#433 spec=#243 status=#244
T 5 metadata=#433 spec=#263 status=#264
T 4 metadata=#433 template=#265
T 5 metadata=#433 spec=#275 status=#276
T 5 metadata=#433 spec=#280
T 7 metadata=#433
T 5 metadata=#433 spec=#295 status=#296
T 6 imagePullSecrets=[]#222 metadata=#433 secrets=[]#241|name
T 4 metadata=#433 spec=#82
T 4 metadata=#433 spec=#81
T 4 metadata=#433 webhooks=[]#83|name
T 5 metadata=#433 spec=#91 status=#92
T 4 metadata=#433 spec=#90
T 4 metadata=#433 webhooks=[]#93|name
T 5 metadata=#433 spec=#418 status=#419
T 5 metadata=#433 status=#436
T 5 metadata=#433
T 5 metadata=#433 spec=#98 status=#99
T 5 metadata=#433 spec=#101 status=#102
T 5 metadata=#433 spec=#104 status=#105
T 5 metadata=#433 spec=#107 status=#108
T 4 metadata=#433
T 5 metadata=#433
T 5 metadata=#433
T 5 metadata=#433 spec=#115
T 5 metadata=#433 spec=#114
T 5 metadata=#433 status=#116
T 5 metadata=#433 spec=#115
T 5 metadata=#433
T 5 metadata=#433
T 5 metadata=#433 spec=#126 status=#127
T 5 metadata=#433 spec=#139 status=#140
T 5 metadata=#433 spec=#143 status=#144
T 5 metadata=#433 status=#153
T 4 metadata=#433
T 5 metadata=#433 status=#154
T 4 metadata=#433
T 6 endpoints=[]#321 metadata=#433 ports=[]#324
T 17 metadata=#433 regarding=#241 related=#241
T 5 metadata=#433 spec=#328 status=#329
T 5 metadata=#433 status=#334
T 4 metadata=#433
T 5 metadata=#433 spec=#348 status=#349
T 4 metadata=#433
T 4 metadata=#433 spec=#355
T 5 metadata=#433 status=#357
T 6 metadata=#433 scheduling=#358
T 4 metadata=#433
T 5 metadata=#433 spec=#359 status=#360
T 5 aggregationRule=#361 metadata=#433 rules=[]#362
T 5 metadata=#433 subjects=[]#363
T 4 metadata=#433 rules=[]#362
T 5 metadata=#433 subjects=[]#363
T 4 metadata=#433 spec=#380
T 5 metadata=#433 status=#389
T 5 metadata=#433 spec=#398 status=#399
T 4 metadata=#433 spec=#400
T 4 metadata=#433 spec=#401
T 7 metadata=#433
T 4 metadata=#433 spec=#405
T 5 metadata=#433 spec=#407 status=#408
T 7 metadata=#433 nodeTopology=#430
T 10 allowedTopologies=[]#304 metadata=#433
T 5 metadata=#433 spec=#413
T 5 metadata=#433
T 5 metadata=#433 status=#415
T 1
T 2
T 2
T 1
T 2
T 5 excludeResourceRules=[]#85 namespaceSelector=#430 objectSelector=#430 resourceRules=[]#85
T 3 matchResources=#80 paramRef=#86
T 7 matchConditions=[]#79|name matchConstraints=#80 mutations=[]#84 variables=[]#95
T 12 clientConfig=#96 matchConditions=[]#79|name namespaceSelector=#430 objectSelector=#430 rules=[]#87
T 3 applyConfiguration=#75 jsonPatch=#78
T 6
T 4 selector=#430
T 5
T 4
T 1 expressionWarnings=[]#77
T 4 matchResources=#80 paramRef=#86
T 7 auditAnnotations=[]#76 matchConditions=[]#79|name matchConstraints=#80 validations=[]#94 variables=[]#95|name
T 3 conditions=[]#428|type typeChecking=#89
T 11 clientConfig=#96 matchConditions=[]#79|name namespaceSelector=#430 objectSelector=#430 rules=[]#87
T 4
T 2
T 3 service=#88
T 5
T 5 selector=#430 template=#265
T 10 conditions=[]#97|type
T 6
T 8 selector=#430 template=#265
T 9 conditions=[]#100|type
T 5
T 4 selector=#430 template=#265
T 7 conditions=[]#103|type
T 5
T 11 selector=#430 template=#265 volumeClaimTemplates=[]#9
T 10 conditions=[]#106|type
T 2 requirements=[]#429
T 2 requirements=[]#431
T 2
T 9 fieldSelector=#109 labelSelector=#110
T 4
T 2 resourceAttributes=#112
T 6 resourceAttributes=#112
T 4 nonResourceRules=[]#111 resourceRules=[]#113
T 3 target=#131
T 3 current=#132
T 3
T 2 metric=#128 target=#131
T 2 current=#132 metric=#128
T 3
T 4 policies=[]#122
T 2 scaleDown=#123 scaleUp=#123
T 6
T 5 behavior=#124 metrics=[]#129 scaleTargetRef=#119
T 6 conditions=[]#125|type currentMetrics=[]#130
T 2 selector=#430
T 6 containerResource=#117 external=#120 object=#133 pods=#135 resource=#137
T 6 containerResource=#118 external=#121 object=#134 pods=#136 resource=#138
T 4
T 3
T 3 describedObject=#119 metric=#128 target=#131
T 3 current=#132 describedObject=#119 metric=#128
T 2 metric=#128 target=#131
T 2 current=#132 metric=#128
T 2 target=#131
T 2 current=#132
T 8 jobTemplate=#145
T 3 active=[]#241
T 6
T 4 resourceClaims=[]#403|name schedulingConstraints=#404
T 17 podFailurePolicy=#146 scheduling=#142 selector=#430 successPolicy=#150 template=#265
T 11 conditions=[]#141
T 2 metadata=#433 spec=#143
T 1 rules=[]#149
T 3
T 2
T 3 onExitCodes=#147 onPodConditions=[]#148
T 1 rules=[]#151
T 2
T 6
T 2 conditions=[]#152|type
T 5 conditions=[]#428|type
T 4
T 3 nodeAffinity=#228 podAffinity=#249 podAntiAffinity=#251
T 2
T 2
T 6
T 3
T 5 nodePublishSecretRef=#222
T 2
T 6 secretRef=#222
T 4 secretRef=#222
T 6 labelSelector=#430
T 4
T 2
T 3
T 3 items=[]#214
T 5 items=[]#214
T 25 env=[]#192|name envFrom=[]#191 lifecycle=#215 livenessProbe=#270 ports=[]#174|containerPort+protocol~"TCP" readinessProbe=#270 resizePolicy=[]#175 resources=#281 restartPolicyRules=[]#176 securityContext=#292 startupProbe=#270 volumeDevices=[]#309|devicePath volumeMounts=[]#312|mountPath
T 3
T 2
T 5
T 2
T 2 exitCodes=#177
T 2
T 3 running=#179 terminated=#180 waiting=#181
T 1
T 7
T 2
T 15 allocatedResourcesStatus=[]#282|name lastState=#178 resources=#281 state=#178 user=#183 volumeMounts=[]#313|mountPath
T 1 linux=#219
T 1 items=[]#185
T 5 fieldRef=#240 resourceFieldRef=#278
T 3 items=[]#185
T 3
T 4 targetRef=#241
T 4
T 3 addresses=[]#188 notReadyAddresses=[]#188 ports=[]#189
T 3 configMapRef=#167 secretRef=#288
T 3 valueFrom=#193
T 5 configMapKeyRef=#168 fieldRef=#240 fileKeyRef=#199 resourceFieldRef=#278 secretKeyRef=#289
T 26 env=[]#192|name envFrom=[]#191 lifecycle=#215 livenessProbe=#270 ports=[]#174|containerPort+protocol~"TCP" readinessProbe=#270 resizePolicy=[]#175 resources=#281 restartPolicyRules=[]#176 securityContext=#292 startupProbe=#270 volumeDevices=[]#309|devicePath volumeMounts=[]#312|mountPath
T 1 volumeClaimTemplate=#245
T 2
T 1
T 5
T 4
T 5 secretRef=#222
T 2
T 4
T 3
T 3
T 3
T 6 httpHeaders=[]#207
T 2
T 2
T 1
T 2
T 11 secretRef=#222
T 2
T 1
T 4
T 3 postStart=#216 preStop=#216
T 4 exec=#197 httpGet=#206 sleep=#297 tcpSocket=#300
T 6
T 1 limits=[]#217
T 3
T 4 ports=[]#267
T 1 ingress=[]#220
T 1
T 2
T 3
T 5
T 2 conditions=[]#225|type
T 2
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#269 requiredDuringSchedulingIgnoredDuringExecution=#235
T 2
T 3
T 4 mapping=[]#229|name overhead=[]#230|name
T 6
T 2 features=#234
T 2
T 1 nodeSelectorTerms=[]#237
T 3
T 2 matchExpressions=[]#236 matchFields=[]#236
T 8 taints=[]#301
T 14 addresses=[]#227|type conditions=[]#232|type images=[]#173 runtimeHandlers=[]#233 volumesAttached=[]#158
T 2
T 7
T 6
T 9 dataSource=#306 dataSourceRef=#307 resources=#316 selector=#430
T 9 conditions=[]#242|type healthStatus=#311 modifyVolumeStatus=#223
T 2 metadata=#433 spec=#243
T 2
T 31 awsElasticBlockStore=#155 azureDisk=#159 claimRef=#241 fc=#198 flocker=#201 gcePersistentDisk=#202 hostPath=#210 nfs=#224 nodeAffinity=#314 photonPersistentDisk=#248 portworxVolume=#268 quobyte=#272 vsphereVolume=#318
T 2
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#319 requiredDuringSchedulingIgnoredDuringExecution=[]#250
T 6 labelSelector=#430 namespaceSelector=#430
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#319 requiredDuringSchedulingIgnoredDuringExecution=[]#250
T 8
T 7
T 3 options=[]#255
T 2
T 2 requestMappings=[]#172
T 1
T 1
T 3
T 2
T 1
T 13 appArmorProfile=#157 seLinuxOptions=#283 seccompProfile=#287 sysctls=[]#299 windowsOptions=#320
T 43 affinity=#156 containers=[]#171|name dnsConfig=#254 ephemeralContainers=[]#194|name evictionResponders=[]#196|name hostAliases=[]#208|ip imagePullSecrets=[]#222|name initContainers=[]#171|name readinessGates=[]#258 resourceClaims=[]#259|name resources=#281 schedulingGates=[]#261|name securityContext=#262 tolerations=[]#302 topologySpreadConstraints=[]#305|topologyKey+whenUnsatisfiable volumes=[]#308|name
T 22 conditions=[]#253|type containerStatuses=[]#182 ephemeralContainerStatuses=[]#182 extendedResourceClaimStatus=#256 hostIPs=[]#209 initContainerStatuses=[]#182 nodeAllocatableResourceClaimStatuses=[]#231|resourceClaimName podIPs=[]#257|ip resourceClaimStatuses=[]#260|name resources=#281 volumeHealth=[]#266|name
T 2 metadata=#433 spec=#263
T 3 healthConditions=[]#310|status+reason
T 3
T 3
T 2 preference=#237
T 10 exec=#197 grpc=#203 httpGet=#206 tcpSocket=#300
T 3 sources=[]#315
T 6
T 8 secretRef=#222
T 5
T 4 template=#265
T 6 conditions=[]#274|type
T 2
T 3
T 3
T 3 scopeSelector=#285
T 3 claims=[]#277|name
T 2 resources=[]#279|resourceID
T 4
T 10 secretRef=#222
T 1 matchExpressions=[]#286
T 3
T 2
T 2
T 3
T 3 items=[]#214
T 5 items=[]#214
T 12 appArmorProfile=#157 capabilities=#162 seLinuxOptions=#283 seccompProfile=#287 windowsOptions=#320
T 4
T 6
T 20 ports=[]#294|port+protocol~"TCP"
T 2 conditions=[]#428|type loadBalancer=#221
T 1
T 5 secretRef=#222
T 2
T 2
T 4
T 5
T 2
T 1 matchLabelExpressions=[]#303
T 8 labelSelector=#430
T 3
T 4
T 31 awsElasticBlockStore=#155 azureDisk=#159 azureFile=#160 cephfs=#163 cinder=#164 configMap=#170 csi=#161 downwardAPI=#186 emptyDir=#187 ephemeral=#195 fc=#198 flexVolume=#200 flocker=#201 gcePersistentDisk=#202 gitRepo=#204 glusterfs=#205 hostPath=#210 image=#212 iscsi=#211 nfs=#224 persistentVolumeClaim=#246 photonPersistentDisk=#248 portworxVolume=#268 projected=#271 quobyte=#272 rbd=#273 scaleIO=#284 secret=#291 storageos=#298 vsphereVolume=#318
T 2
T 3
T 2 healthConditions=[]#310|status+reason
T 8
T 5 volumeStatus=#317
T 1 required=#235
T 6 clusterTrustBundle=#165 configMap=#169 downwardAPI=#184 podCertificate=#252 secret=#290 serviceAccountToken=#293
T 2
T 1 image=#213
T 4
T 2 podAffinityTerm=#250
T 4
T 8 conditions=#322 hints=#323 targetRef=#241
T 3
T 2 forNodes=[]#325 forZones=[]#326
T 4
T 1
T 1
T 5
T 4 rules=[]#332
T 1 conditions=[]#327|type
T 1
T 2
T 3 nonResourceRules=[]#331 resourceRules=[]#335 subjects=[]#337
T 5
T 1 conditions=[]#333|type
T 5
T 2
T 4 group=#330 serviceAccount=#336 user=#338
T 1
T 3 backend=#342
T 1 paths=[]#339
T 2
T 2 resource=#306 service=#347
T 3 ports=[]#345
T 1 ingress=[]#343
T 3
T 2 http=#340
T 2 port=#356
T 4 defaultBackend=#342 rules=[]#346 tls=[]#350
T 1 loadBalancer=#344
T 2
T 2 ports=[]#354 to=[]#353
T 2 from=[]#353 ports=[]#354
T 3 ipBlock=#341 namespaceSelector=#430 podSelector=#430
T 3
T 4 egress=[]#351 ingress=[]#352 podSelector=#430
T 2
T 1 conditions=[]#428|type
T 2 tolerations=[]#302
T 4 selector=#430
T 7 conditions=[]#428|type
T 1 clusterRoleSelectors=[]#430
T 5
T 4
T 7 conditions=[]#428|type networkData=#392
T 3 devices=#374 nodeSelector=#235
T 1
T 3 validRange=#368
T 3
T 1
T 1
T 2 counters={}#370
T 13 attributes={}#375 capacity={}#376 consumesCounters=[]#382 nodeAllocatableResources={}#395 nodeSelector=#235 taints=[]#388
T 3 opaque=#396
T 2 config=[]#373 results=[]#385
T 8
T 2 requestPolicy=#367
T 3 config=[]#378 constraints=[]#381 requests=[]#384
T 2 opaque=#396
T 1 opaque=#396
T 3 config=[]#379 selectors=[]#386
T 3
T 3 counters={}#370
T 2
T 3 exactly=#391 firstAvailable=[]#387
T 11 tolerations=[]#390
T 1 cel=#366
T 8 capacity=#369 derivedAttributes=[]#383 selectors=[]#386 tolerations=[]#390
T 4
T 1 conditions=[]#428|type
T 5
T 8 capacity=#369 derivedAttributes=[]#383 selectors=[]#386 tolerations=[]#390
T 3
T 3
T 2
T 2 mapping=#393 overhead=#394
T 2
T 4
T 1 devices=#377
T 3 allocation=#365 devices=[]#364|driver+device+pool+shareID reservedFor=[]#397|uid
T 2 metadata=#433 spec=#398
T 10 devices=[]#372 nodeSelector=#235 sharedCounters=[]#371
T 1
T 3
T 1 topology=[]#402
T 11 tokenRequests=[]#411
T 4 allocatable=#414
T 1 drivers=[]#406|name
T 1 storageHealth=[]#409|name
T 2 healthConditions=[]#410
T 6
T 2
T 2 inlineVolumeSpec=#247
T 3 source=#412
T 1
T 2 conditions=[]#428|type
T 6
T 6
T 6 versions=[]#420
T 4 conditions=[]#417|type
T 9 additionalPrinterColumns=[]#416 schema=#423 selectableFields=[]#426 subresources=#422
T 3
T 2 scale=#421
T 1 openAPIV3Schema=#425
T 2
)table",
R"table(T 44 allOf=[]#425 anyOf=[]#425 definitions={}#425 externalDocs=#424 not=#425 oneOf=[]#425 patternProperties={}#425 properties={}#425 x-kubernetes-validations=[]#427|rule
T 1
T 6
T 6
T 3
T 2 matchExpressions=[]#431
T 3
T 7
T 15 managedFields=[]#432 ownerReferences=[]#434|uid
T 6
T 5
T 1 conditions=[]#435|type
)table",
};
// clang-format on

}  // namespace kcontrol::detail
