// Written by scripts/generate-apiserver-table.py; the format is said in builtin_schema.hpp.
#pragma once

#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

// clang-format off
inline constexpr std::array<std::string_view, 3> builtin_table = {
R"table(K - v1 bindings binding Binding N c - - - - 0
K - v1 componentstatuses componentstatus ComponentStatus C gl cs - - - 1
K - v1 configmaps configmap ConfigMap N cdDglpuw cm - - qFsyl6wFWjQ= 2
K - v1 endpoints endpoints Endpoints N cdDglpuw ep - - fWeeMqaN/OA= 3
K - v1 events event Event N cdDglpuw ev - - r2yiGXH7wu8= 4
K - v1 limitranges limitrange LimitRange N cdDglpuw limits - - EBKMFVe6cwo= 5
K - v1 namespaces namespace Namespace C cdglpuw ns - finalize:::Namespace:u,status:::Namespace:gpu Q3oi5N2YM8M= 6
K - v1 nodes node Node C cdDglpuw no - proxy:::NodeProxyOptions:cdgpu,status:::Node:gpu XwShjMxG9Fs= 7
K - v1 persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim N cdDglpuw pvc - status:::PersistentVolumeClaim:gpu QWTyNDq0dC4= 8
K - v1 persistentvolumes persistentvolume PersistentVolume C cdDglpuw pv - status:::PersistentVolume:gpu HN/zwEC+JgM= 9
K - v1 pods pod Pod N cdDglpuw po all attach:::PodAttachOptions:cg,binding:::Binding:c,ephemeralcontainers:::Pod:gpu,eviction:policy:v1:Eviction:c,exec:::PodExecOptions:cg,log:::Pod:g,portforward:::PodPortForwardOptions:cg,proxy:::PodProxyOptions:cdgpu,resize:::Pod:gpu,status:::Pod:gpu xPOwRZ+Yhw8= 10
K - v1 podtemplates podtemplate PodTemplate N cdDglpuw - - - LIXB2x4IFpk= 11
K - v1 replicationcontrollers replicationcontroller ReplicationController N cdDglpuw rc all scale:autoscaling:v1:Scale:gpu,status:::ReplicationController:gpu Jond2If31h0= 12
K - v1 resourcequotas resourcequota ResourceQuota N cdDglpuw quota - status:::ResourceQuota:gpu 8uhSgffRX6w= 13
K - v1 secrets secret Secret N cdDglpuw - - - S6u1pOWzb84= 14
K - v1 serviceaccounts serviceaccount ServiceAccount N cdDglpuw sa - token:authentication.k8s.io:v1:TokenRequest:c pbx9ZvyFpBE= 15
K - v1 services service Service N cdDglpuw svc all proxy:::ServiceProxyOptions:cdgpu,status:::Service:gpu 0/CO1lhkEBI= 16
K apiregistration.k8s.io v1 apiservices apiservice APIService C cdDglpuw - api-extensions status:::APIService:gpu InPBPD7+PqM= 17
K apps v1 controllerrevisions controllerrevision ControllerRevision N cdDglpuw - - - 85nkx63pcBU= 18
K apps v1 daemonsets daemonset DaemonSet N cdDglpuw ds all status:::DaemonSet:gpu dd7pWHUlMKQ= 19
K apps v1 deployments deployment Deployment N cdDglpuw deploy all scale:autoscaling:v1:Scale:gpu,status:::Deployment:gpu 8aSe+NMegvE= 20
K apps v1 replicasets replicaset ReplicaSet N cdDglpuw rs all scale:autoscaling:v1:Scale:gpu,status:::ReplicaSet:gpu P1RzHs8/mWQ= 21
K apps v1 statefulsets statefulset StatefulSet N cdDglpuw sts all scale:autoscaling:v1:Scale:gpu,status:::StatefulSet:gpu H+vl74LkKdo= 22
K events.k8s.io v1 events event Event N cdDglpuw ev - - r2yiGXH7wu8= 23
K authentication.k8s.io v1 selfsubjectreviews selfsubjectreview SelfSubjectReview C c - - - - 24
K authentication.k8s.io v1 tokenreviews tokenreview TokenReview C c - - - - 25
K authorization.k8s.io v1 localsubjectaccessreviews localsubjectaccessreview LocalSubjectAccessReview N c - - - - 26
K authorization.k8s.io v1 selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview C c - - - - 27
K authorization.k8s.io v1 selfsubjectrulesreviews selfsubjectrulesreview SelfSubjectRulesReview C c - - - - 28
K authorization.k8s.io v1 subjectaccessreviews subjectaccessreview SubjectAccessReview C c - - - - 29
K autoscaling v2 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:::HorizontalPodAutoscaler:gpu qwQve8ut294= 30
K autoscaling v1 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:::HorizontalPodAutoscaler:gpu qwQve8ut294= 31
K batch v1 cronjobs cronjob CronJob N cdDglpuw cj all status:::CronJob:gpu sd5LIXh4Fjs= 32
K batch v1 jobs job Job N cdDglpuw - all status:::Job:gpu mudhfqk/qZY= 33
K certificates.k8s.io v1 certificatesigningrequests certificatesigningrequest CertificateSigningRequest C cdDglpuw csr - approval:::CertificateSigningRequest:gpu,status:::CertificateSigningRequest:gpu 95fRKMXA+00= 34
K certificates.k8s.io v1 clustertrustbundles clustertrustbundle ClusterTrustBundle C cdDglpuw - - - v5yhuVertL4= 35
K certificates.k8s.io v1 podcertificaterequests podcertificaterequest PodCertificateRequest N cdDglpuw - - status:::PodCertificateRequest:gpu wYA9yXQH8fg= 36
K networking.k8s.io v1 ingressclasses ingressclass IngressClass C cdDglpuw - - - l/iqIbDgFyQ= 37
K networking.k8s.io v1 ingresses ingress Ingress N cdDglpuw ing - status:::Ingress:gpu 39NQlfNR+bo= 38
K networking.k8s.io v1 ipaddresses ipaddress IPAddress C cdDglpuw ip - - 3f/plJFChNE= 39
K networking.k8s.io v1 networkpolicies networkpolicy NetworkPolicy N cdDglpuw netpol - - YpfwF18m1G8= 40
K networking.k8s.io v1 servicecidrs servicecidr ServiceCIDR C cdDglpuw - - status:::ServiceCIDR:gpu gNLvruQhW2g= 41
K policy v1 poddisruptionbudgets poddisruptionbudget PodDisruptionBudget N cdDglpuw pdb - status:::PodDisruptionBudget:gpu EVWiDmWqyJw= 42
K rbac.authorization.k8s.io v1 clusterrolebindings clusterrolebinding ClusterRoleBinding C cdDglpuw - - - 48tpQ8gZHFc= 43
K rbac.authorization.k8s.io v1 clusterroles clusterrole ClusterRole C cdDglpuw - - - bYE5ZWDrJ44= 44
K rbac.authorization.k8s.io v1 rolebindings rolebinding RoleBinding N cdDglpuw - - - eGsCzGH6b1g= 45
K rbac.authorization.k8s.io v1 roles role Role N cdDglpuw - - - 7FuwZcIIItM= 46
K storage.k8s.io v1 csidrivers csidriver CSIDriver C cdDglpuw - - - hL6j/rwBV5w= 47
K storage.k8s.io v1 csinodes csinode CSINode C cdDglpuw - - status:::CSINode:gpu Pe62DkZtjuo= 48
K storage.k8s.io v1 csistoragecapacities csistoragecapacity CSIStorageCapacity N cdDglpuw - - - xeVl+2Ly1kE= 49
K storage.k8s.io v1 storageclasses storageclass StorageClass C cdDglpuw sc - - K+m6uJwbjGY= 50
K storage.k8s.io v1 volumeattachments volumeattachment VolumeAttachment C cdDglpuw - - status:::VolumeAttachment:gpu tJx/ezt6UDU= 51
K storage.k8s.io v1 volumeattributesclasses volumeattributesclass VolumeAttributesClass C cdDglpuw vac - - tIjydgKBC5w= 52
K admissionregistration.k8s.io v1 mutatingadmissionpolicies mutatingadmissionpolicy MutatingAdmissionPolicy C cdDglpuw - api-extensions - mHCkTKpUTrE= 53
K admissionregistration.k8s.io v1 mutatingadmissionpolicybindings mutatingadmissionpolicybinding MutatingAdmissionPolicyBinding C cdDglpuw - api-extensions - ZKgZT1uTmZ0= 54
K admissionregistration.k8s.io v1 mutatingwebhookconfigurations mutatingwebhookconfiguration MutatingWebhookConfiguration C cdDglpuw - api-extensions - Sqi0GUgDaX0= 55
K admissionregistration.k8s.io v1 validatingadmissionpolicies validatingadmissionpolicy ValidatingAdmissionPolicy C cdDglpuw - api-extensions status:::ValidatingAdmissionPolicy:gpu 6OxvlMmQ6is= 56
K admissionregistration.k8s.io v1 validatingadmissionpolicybindings validatingadmissionpolicybinding ValidatingAdmissionPolicyBinding C cdDglpuw - api-extensions - v9715VZqakg= 57
K admissionregistration.k8s.io v1 validatingwebhookconfigurations validatingwebhookconfiguration ValidatingWebhookConfiguration C cdDglpuw - api-extensions - B0wHjQmsGNk= 58
K apiextensions.k8s.io v1 customresourcedefinitions customresourcedefinition CustomResourceDefinition C cdDglpuw crd,crds api-extensions status:::CustomResourceDefinition:gpu jfWCUB31mvA= 59
K scheduling.k8s.io v1 priorityclasses priorityclass PriorityClass C cdDglpuw pc - - 1QwjyaZjj3Y= 60
K coordination.k8s.io v1 leases lease Lease N cdDglpuw - - - gqkMMb/YqFM= 61
K node.k8s.io v1 runtimeclasses runtimeclass RuntimeClass C cdDglpuw - - - WQTu1GL3T2Q= 62
K discovery.k8s.io v1 endpointslices endpointslice EndpointSlice N cdDglpuw - - - qgS0xkrxYAI= 63
K resource.k8s.io v1 deviceclasses deviceclass DeviceClass C cdDglpuw - - - Yk2PTc1Ybxk= 64
K resource.k8s.io v1 devicetaintrules devicetaintrule DeviceTaintRule C cdDglpuw - - status:::DeviceTaintRule:gpu i+85+TcIKpA= 65
K resource.k8s.io v1 resourceclaims resourceclaim ResourceClaim N cdDglpuw - - status:::ResourceClaim:gpu wgAZaHcZxUg= 66
K resource.k8s.io v1 resourceclaimtemplates resourceclaimtemplate ResourceClaimTemplate N cdDglpuw - - - TuzjC49aUfM= 67
K resource.k8s.io v1 resourceslices resourceslice ResourceSlice C cdDglpuw - - - KsC072WgaEY= 68
K flowcontrol.apiserver.k8s.io v1 flowschemas flowschema FlowSchema C cdDglpuw - - status:::FlowSchema:gpu GJVAJZSZBIw= 69
K flowcontrol.apiserver.k8s.io v1 prioritylevelconfigurations prioritylevelconfiguration PriorityLevelConfiguration C cdDglpuw - - status:::PriorityLevelConfiguration:gpu Kir5PVfvNeI= 70
K storagemigration.k8s.io v1 storageversionmigrations storageversionmigration StorageVersionMigration C cdDglpuw - - status:::StorageVersionMigration:gpu pCjmmKOkLy4= 71
T core.v1.Binding - apiVersion=s|p kind=s|p metadata=#72 target=#73|z|r
T core.v1.ComponentStatus - apiVersion=s|p conditions=[#74|m:type|M:type kind=s|p metadata=#72
T core.v1.ConfigMap - apiVersion=s|p binaryData={y data={s immutable=b|p kind=s|p metadata=#72
T core.v1.Endpoints - apiVersion=s|p kind=s|p metadata=#72 subsets=[#75
T core.v1.Event - action=s apiVersion=s|p count=i eventTime=u firstTimestamp=t involvedObject=#73|z|r kind=s|p lastTimestamp=t message=s metadata=#72|z|r reason=s related=#73|p reportingComponent=s|z reportingInstance=s|z series=#76|p source=#77 type=s
T core.v1.LimitRange - apiVersion=s|p kind=s|p metadata=#72 spec=#78
T core.v1.Namespace - apiVersion=s|p kind=s|p metadata=#72 spec=#79 status=#80
T core.v1.Node - apiVersion=s|p kind=s|p metadata=#72 spec=#81 status=#82
T core.v1.PersistentVolumeClaim - apiVersion=s|p kind=s|p metadata=#72 spec=#83 status=#84
T core.v1.PersistentVolume - apiVersion=s|p kind=s|p metadata=#72 spec=#85 status=#86
T core.v1.Pod - apiVersion=s|p kind=s|p metadata=#72 spec=#87 status=#88
T core.v1.PodTemplate - apiVersion=s|p kind=s|p metadata=#72 template=#89
T core.v1.ReplicationController - apiVersion=s|p kind=s|p metadata=#72 spec=#90 status=#91
T core.v1.ResourceQuota - apiVersion=s|p kind=s|p metadata=#72 spec=#92 status=#93
T core.v1.Secret - apiVersion=s|p data={y immutable=b|p kind=s|p metadata=#72 stringData={s type=s
T core.v1.ServiceAccount - apiVersion=s|p automountServiceAccountToken=b|p imagePullSecrets=[#94 kind=s|p metadata=#72 secrets=[#73|m:name|M:name
T core.v1.Service - apiVersion=s|p kind=s|p metadata=#72 spec=#95 status=#96
T kube-aggregator.pkg.apis.apiregistration.v1.APIService - apiVersion=s|p kind=s|p metadata=#72 spec=#97 status=#98
T apps.v1.ControllerRevision - apiVersion=s|p data=r|z|r kind=s|p metadata=#72 revision=l|z
T apps.v1.DaemonSet - apiVersion=s|p kind=s|p metadata=#72 spec=#99|r status=#100
T apps.v1.Deployment - apiVersion=s|p kind=s|p metadata=#72 spec=#101|r status=#102
T apps.v1.ReplicaSet - apiVersion=s|p kind=s|p metadata=#72 spec=#103|r status=#104
T apps.v1.StatefulSet - apiVersion=s|p kind=s|p metadata=#72 spec=#105|r status=#106
T events.v1.Event - action=s apiVersion=s|p deprecatedCount=i deprecatedFirstTimestamp=t deprecatedLastTimestamp=t deprecatedSource=#77 eventTime=u|z|r kind=s|p metadata=#72|z note=s reason=s regarding=#73 related=#73|p reportingController=s reportingInstance=s series=#107|p type=s
T authentication.v1.SelfSubjectReview - apiVersion=s|p kind=s|p metadata=#72 status=#108
T authentication.v1.TokenReview - apiVersion=s|p kind=s|p metadata=#72 spec=#109|z|r status=#110
T authorization.v1.LocalSubjectAccessReview - apiVersion=s|p kind=s|p metadata=#72 spec=#111|z|r status=#112
T authorization.v1.SelfSubjectAccessReview - apiVersion=s|p kind=s|p metadata=#72 spec=#113|z|r status=#112
T authorization.v1.SelfSubjectRulesReview - apiVersion=s|p kind=s|p metadata=#72 spec=#114|z|r status=#115
T authorization.v1.SubjectAccessReview - apiVersion=s|p kind=s|p metadata=#72 spec=#111|z|r status=#112
T autoscaling.v2.HorizontalPodAutoscaler - apiVersion=s|p kind=s|p metadata=#72 spec=#116|r status=#117
T autoscaling.v1.HorizontalPodAutoscaler - apiVersion=s|p kind=s|p metadata=#72 spec=#118|r status=#119
T batch.v1.CronJob - apiVersion=s|p kind=s|p metadata=#72 spec=#120|r status=#121
T batch.v1.Job - apiVersion=s|p kind=s|p metadata=#72 spec=#122 status=#123
T certificates.v1.CertificateSigningRequest - apiVersion=s|p kind=s|p metadata=#72 spec=#124|z|r status=#125
T certificates.v1.ClusterTrustBundle - apiVersion=s|p kind=s|p metadata=#72 spec=#126|z|r
T certificates.v1.PodCertificateRequest - apiVersion=s|p kind=s|p metadata=#72 spec=#127|z|r status=#128
T networking.v1.IngressClass - apiVersion=s|p kind=s|p metadata=#72 spec=#129
T networking.v1.Ingress - apiVersion=s|p kind=s|p metadata=#72 spec=#130 status=#131
T networking.v1.IPAddress - apiVersion=s|p kind=s|p metadata=#72 spec=#132|r
T networking.v1.NetworkPolicy - apiVersion=s|p kind=s|p metadata=#72 spec=#133
T networking.v1.ServiceCIDR - apiVersion=s|p kind=s|p metadata=#72 spec=#134 status=#135
T policy.v1.PodDisruptionBudget - apiVersion=s|p kind=s|p metadata=#72 spec=#136 status=#137
T rbac.v1.ClusterRoleBinding - apiVersion=s|p kind=s|p metadata=#72 roleRef=#138|z|r subjects=[#139
T rbac.v1.ClusterRole - aggregationRule=#140|p apiVersion=s|p kind=s|p metadata=#72 rules=[#141|z
T rbac.v1.RoleBinding - apiVersion=s|p kind=s|p metadata=#72 roleRef=#138|z|r subjects=[#139
T rbac.v1.Role - apiVersion=s|p kind=s|p metadata=#72 rules=[#141|z
T storage.v1.CSIDriver - apiVersion=s|p kind=s|p metadata=#72 spec=#142|z|r
T storage.v1.CSINode - apiVersion=s|p kind=s|p metadata=#72 spec=#143|z|r status=#144
T storage.v1.CSIStorageCapacity - apiVersion=s|p capacity=q|p kind=s|p maximumVolumeSize=q|p metadata=#72 nodeTopology=#145|p storageClassName=s|z|r
T storage.v1.StorageClass - allowVolumeExpansion=b|p allowedTopologies=[#146 apiVersion=s|p kind=s|p metadata=#72 mountOptions=[s parameters={s provisioner=s|z|r reclaimPolicy=s|p|e:Delete+Recycle+Retain volumeBindingMode=s|p|e:Immediate+WaitForFirstConsumer
T storage.v1.VolumeAttachment - apiVersion=s|p kind=s|p metadata=#72 spec=#147|z|r status=#148
T storage.v1.VolumeAttributesClass - apiVersion=s|p driverName=s|z|r kind=s|p metadata=#72 parameters={s
T admissionregistration.v1.MutatingAdmissionPolicy - apiVersion=s|p kind=s|p metadata=#72 spec=#149
T admissionregistration.v1.MutatingAdmissionPolicyBinding - apiVersion=s|p kind=s|p metadata=#72 spec=#150
T admissionregistration.v1.MutatingWebhookConfiguration - apiVersion=s|p kind=s|p metadata=#72 webhooks=[#151|m:name|M:name
T admissionregistration.v1.ValidatingAdmissionPolicy - apiVersion=s|p kind=s|p metadata=#72 spec=#152 status=#153
T admissionregistration.v1.ValidatingAdmissionPolicyBinding - apiVersion=s|p kind=s|p metadata=#72 spec=#154|r
T admissionregistration.v1.ValidatingWebhookConfiguration - apiVersion=s|p kind=s|p metadata=#72 webhooks=[#155|m:name|M:name
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition - apiVersion=s|p kind=s|p metadata=#72 spec=#156|z|r status=#157
T scheduling.v1.PriorityClass - apiVersion=s|p description=s globalDefault=b kind=s|p metadata=#72 preemptionPolicy=s|p|e:Never+PreemptLowerPriority value=i|z
T coordination.v1.Lease - apiVersion=s|p kind=s|p metadata=#72 spec=#158
T node.v1.RuntimeClass - apiVersion=s|p handler=s|z|r kind=s|p metadata=#72 overhead=#159|p scheduling=#160|p
T discovery.v1.EndpointSlice - addressType=s|z|r|e:FQDN+IPv4+IPv6 apiVersion=s|p endpoints=[#161|z kind=s|p metadata=#72 ports=[#162|z
T resource.v1.DeviceClass - apiVersion=s|p kind=s|p metadata=#72 spec=#163|z
T resource.v1.DeviceTaintRule - apiVersion=s|p kind=s|p metadata=#72 spec=#164|z|r status=#165
T resource.v1.ResourceClaim - apiVersion=s|p kind=s|p metadata=#72 spec=#166|z status=#167
T resource.v1.ResourceClaimTemplate - apiVersion=s|p kind=s|p metadata=#72 spec=#168|z
T resource.v1.ResourceSlice - apiVersion=s|p kind=s|p metadata=#72 spec=#169|z|r
T flowcontrol.v1.FlowSchema - apiVersion=s|p kind=s|p metadata=#72 spec=#170|r status=#171
T flowcontrol.v1.PriorityLevelConfiguration - apiVersion=s|p kind=s|p metadata=#72 spec=#172|r status=#173
T storagemigration.v1.StorageVersionMigration - apiVersion=s|p kind=s|p metadata=#72 spec=#174 status=#175
T apimachinery.pkg.apis.meta.v1.ObjectMeta - annotations={s creationTimestamp=t deletionGracePeriodSeconds=l|p deletionTimestamp=t|p finalizers=[s|s|M: generateName=s generation=l labels={s managedFields=[#176 name=s namespace=s ownerReferences=[#177|m:uid|M:uid resourceVersion=s selfLink=s uid=s
T core.v1.ObjectReference a apiVersion=s fieldPath=s kind=s name=s namespace=s resourceVersion=s uid=s
T core.v1.ComponentCondition - error=s message=s status=s|z|r type=s|z|r
T core.v1.EndpointSubset - addresses=[#178 notReadyAddresses=[#178 ports=[#179
T core.v1.EventSeries - count=i lastObservedTime=u
T core.v1.EventSource - component=s host=s
T core.v1.LimitRangeSpec - limits=[#180|z|r
T core.v1.NamespaceSpec - finalizers=[s
T core.v1.NamespaceStatus - conditions=[#181|m:type|M:type phase=s|e:Active+Terminating
T core.v1.NodeSpec - configSource=#182|p externalID=s podCIDR=s podCIDRs=[s|s|M: podPreemptionPolicy=#183|p providerID=s taints=[#184 unschedulable=b
T core.v1.NodeStatus - addresses=[#185|m:type|M:type allocatable={q capacity={q conditions=[#186|m:type|M:type config=#187|p daemonEndpoints=#188 declaredFeatures=[s features=#189|p images=[#190 nodeInfo=#191 phase=s|e:Pending+Running+Terminated runtimeHandlers=[#192 volumesAttached=[#193 volumesInUse=[s
T core.v1.PersistentVolumeClaimSpec - accessModes=[s dataSource=#194|p dataSourceRef=#195|p resources=#196 selector=#145|p storageClassName=s|p volumeAttributesClassName=s|p volumeMode=s|p|e:Block+Filesystem volumeName=s
T core.v1.PersistentVolumeClaimStatus - accessModes=[s allocatedResourceStatuses={s allocatedResources={q capacity={q conditions=[#197|m:type|M:type currentVolumeAttributesClassName=s|p healthStatus=#198|p modifyVolumeStatus=#199|p phase=s|e:Bound+Lost+Pending
T core.v1.PersistentVolumeSpec - accessModes=[s awsElasticBlockStore=#200|p azureDisk=#201|p azureFile=#202|p capacity={q cephfs=#203|p cinder=#204|p claimRef=#73|p csi=#205|p fc=#206|p flexVolume=#207|p flocker=#208|p gcePersistentDisk=#209|p glusterfs=#210|p hostPath=#211|p iscsi=#212|p local=#213|p mountOptions=[s nfs=#214|p nodeAffinity=#215|p persistentVolumeReclaimPolicy=s|e:Delete+Recycle+Retain photonPersistentDisk=#216|p portworxVolume=#217|p quobyte=#218|p rbd=#219|p scaleIO=#220|p storageClassName=s storageos=#221|p volumeAttributesClassName=s|p volumeMode=s|p|e:Block+Filesystem vsphereVolume=#222|p
T core.v1.PersistentVolumeStatus - lastPhaseTransitionTime=t|p message=s phase=s|e:Available+Bound+Failed+Pending+Released reason=s
T core.v1.PodSpec - activeDeadlineSeconds=l|p affinity=#223|p automountServiceAccountToken=b|p containers=[#224|z|r|m:name|M:name dnsConfig=#225|p dnsPolicy=s|e:ClusterFirst+ClusterFirstWithHostNet+Default+None enableServiceLinks=b|p ephemeralContainers=[#226|m:name|M:name evictionResponders=[#227|m:name|M:name hostAliases=[#228|m:ip|M:ip hostIPC=b hostNetwork=b hostPID=b hostUsers=b|p hostname=s hostnameOverride=s|p imagePullSecrets=[#94|m:name|M:name initContainers=[#224|m:name|M:name nodeName=s nodeSelector={s|a os=#229|p overhead={q preemptionPolicy=s|p|e:Never+PreemptLowerPriority priority=i|p priorityClassName=s readinessGates=[#230 resourceClaims=[#231|m:name|M:name|R resources=#232|p restartPolicy=s|e:Always+Never+OnFailure runtimeClassName=s|p schedulerName=s schedulingGates=[#233|m:name|M:name schedulingGroup=#234|p securityContext=#235|p serviceAccount=s serviceAccountName=s setHostnameAsFQDN=b|p shareProcessNamespace=b|p subdomain=s terminationGracePeriodSeconds=l|p tolerations=[#236 topologySpreadConstraints=[#237|m:topologyKey+whenUnsatisfiable|M:topologyKey volumes=[#238|m:name|M:name|R
T core.v1.PodStatus - allocatedResources={q conditions=[#239|m:type|M:type containerStatuses=[#240 ephemeralContainerStatuses=[#240 extendedResourceClaimStatus=#241|p hostIP=s hostIPs=[#242|M:ip initContainerStatuses=[#240 message=s nodeAllocatableResourceClaimStatuses=[#243|m:resourceClaimName|M:resourceClaimName nominatedNodeName=s observedGeneration=l phase=s|e:Failed+Pending+Running+Succeeded+Unknown podIP=s podIPs=[#244|m:ip|M:ip qosClass=s|e:BestEffort+Burstable+Guaranteed reason=s resize=s resourceClaimStatuses=[#245|m:name|M:name|R resources=#232|p startTime=t|p volumeHealth=[#246|m:name
T core.v1.PodTemplateSpec - metadata=#72 spec=#87
T core.v1.ReplicationControllerSpec - minReadySeconds=i replicas=i|p|d:1 selector={s|a template=#89|p
T core.v1.ReplicationControllerStatus - availableReplicas=i conditions=[#247|m:type|M:type fullyLabeledReplicas=i observedGeneration=l readyReplicas=i replicas=i|z|r
T core.v1.ResourceQuotaSpec - hard={q scopeSelector=#248|p scopes=[s
T core.v1.ResourceQuotaStatus - hard={q used={q
T core.v1.LocalObjectReference a name=s
T core.v1.ServiceSpec - allocateLoadBalancerNodePorts=b|p clusterIP=s clusterIPs=[s externalIPs=[s externalName=s externalTrafficPolicy=s|e:Cluster+Local healthCheckNodePort=i internalTrafficPolicy=s|p|e:Cluster+Local ipFamilies=[s ipFamilyPolicy=s|p|e:PreferDualStack+RequireDualStack+SingleStack loadBalancerClass=s|p loadBalancerIP=s loadBalancerSourceRanges=[s ports=[#249|m:port+protocol|M:port publishNotReadyAddresses=b selector={s|a sessionAffinity=s|e:ClientIP+None sessionAffinityConfig=#250|p trafficDistribution=s|p type=s|e:ClusterIP+ExternalName+LoadBalancer+NodePort
T core.v1.ServiceStatus - conditions=[#251|m:type|M:type loadBalancer=#252
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec - caBundle=y group=s groupPriorityMinimum=i|z|r insecureSkipTLSVerify=b service=#253|p version=s versionPriority=i|z|r
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus - conditions=[#254|m:type|M:type
T apps.v1.DaemonSetSpec - minReadySeconds=i revisionHistoryLimit=i|p selector=#145|z|p|r template=#89|z|r updateStrategy=#255
T apps.v1.DaemonSetStatus - collisionCount=i|p conditions=[#256|m:type|M:type currentNumberScheduled=i|z|r desiredNumberScheduled=i|z|r numberAvailable=i numberMisscheduled=i|z|r numberReady=i|z|r numberUnavailable=i observedGeneration=l updatedNumberScheduled=i
T apps.v1.DeploymentSpec - minReadySeconds=i paused=b progressDeadlineSeconds=i|p replicas=i|p revisionHistoryLimit=i|p selector=#145|z|p|r strategy=#257|R template=#89|z|r
T apps.v1.DeploymentStatus - availableReplicas=i collisionCount=i|p conditions=[#258|m:type|M:type observedGeneration=l readyReplicas=i replicas=i terminatingReplicas=i|p unavailableReplicas=i updatedReplicas=i
T apps.v1.ReplicaSetSpec - minReadySeconds=i replicas=i|p selector=#145|z|p|r template=#89
T apps.v1.ReplicaSetStatus - availableReplicas=i conditions=[#259|m:type|M:type fullyLabeledReplicas=i observedGeneration=l readyReplicas=i replicas=i|z|r terminatingReplicas=i|p
T apps.v1.StatefulSetSpec - minReadySeconds=i ordinals=#260|p persistentVolumeClaimRetentionPolicy=#261|p podManagementPolicy=s|e:OrderedReady+Parallel replicas=i|p revisionHistoryLimit=i|p selector=#145|z|p|r serviceName=s|z template=#89|z|r updateStrategy=#262 volumeClaimTemplates=[#8
T apps.v1.StatefulSetStatus - availableReplicas=i|z collisionCount=i|p conditions=[#263|m:type|M:type currentReplicas=i currentRevision=s observedGeneration=l readyReplicas=i replicas=i|z|r updateRevision=s updatedReplicas=i
T events.v1.EventSeries - count=i|z|r lastObservedTime=u|z|r
T authentication.v1.SelfSubjectReviewStatus - userInfo=#264
T authentication.v1.TokenReviewSpec - audiences=[s token=s|r
T authentication.v1.TokenReviewStatus - audiences=[s authenticated=b error=s user=#264
T authorization.v1.SubjectAccessReviewSpec - extra={[s groups=[s nonResourceAttributes=#265|p resourceAttributes=#266|p uid=s user=s
T authorization.v1.SubjectAccessReviewStatus - allowed=b|z|r denied=b evaluationError=s reason=s
T authorization.v1.SelfSubjectAccessReviewSpec - nonResourceAttributes=#265|p resourceAttributes=#266|p
T authorization.v1.SelfSubjectRulesReviewSpec - namespace=s
T authorization.v1.SubjectRulesReviewStatus - evaluationError=s incomplete=b|z|r nonResourceRules=[#267|z|r resourceRules=[#268|z|r
T autoscaling.v2.HorizontalPodAutoscalerSpec - behavior=#269|p maxReplicas=i|z|r metrics=[#270 minReplicas=i|p scaleTargetRef=#271|z|r
T autoscaling.v2.HorizontalPodAutoscalerStatus - conditions=[#272|m:type|M:type currentMetrics=[#273|z currentReplicas=i desiredReplicas=i|z|r lastScaleTime=t|p observedGeneration=l|p
T autoscaling.v1.HorizontalPodAutoscalerSpec - maxReplicas=i|z|r minReplicas=i|p scaleTargetRef=#274|z|r targetCPUUtilizationPercentage=i|p
T autoscaling.v1.HorizontalPodAutoscalerStatus - currentCPUUtilizationPercentage=i|p currentReplicas=i|z|r desiredReplicas=i|z|r lastScaleTime=t|p observedGeneration=l|p
T batch.v1.CronJobSpec - concurrencyPolicy=s|e:Allow+Forbid+Replace failedJobsHistoryLimit=i|p jobTemplate=#275|z|r schedule=s|z|r startingDeadlineSeconds=l|p successfulJobsHistoryLimit=i|p suspend=b|p timeZone=s|p
T batch.v1.CronJobStatus - active=[#73 lastScheduleTime=t|p lastSuccessfulTime=t|p
T batch.v1.JobSpec - activeDeadlineSeconds=l|p backoffLimit=i|p backoffLimitPerIndex=i|p completionMode=s|p|e:Indexed+NonIndexed completions=i|p managedBy=s|p manualSelector=b|p maxFailedIndexes=i|p parallelism=i|p podFailurePolicy=#276|p podReplacementPolicy=s|p|e:Failed+TerminatingOrFailed scheduling=#277|p selector=#145|p successPolicy=#278|p suspend=b|p template=#89|z|r ttlSecondsAfterFinished=i|p
T batch.v1.JobStatus - active=i completedIndexes=s completionTime=t|p conditions=[#279|M:type failed=i failedIndexes=s|p ready=i|p startTime=t|p succeeded=i terminating=i|p uncountedTerminatedPods=#280|p
T certificates.v1.CertificateSigningRequestSpec - expirationSeconds=i|p extra={[s groups=[s request=y|z|r signerName=s|z|r uid=s usages=[s username=s
T certificates.v1.CertificateSigningRequestStatus - certificate=y conditions=[#281|m:type
T certificates.v1.ClusterTrustBundleSpec - signerName=s trustBundle=s|z|r
T certificates.v1.PodCertificateRequestSpec - maxExpirationSeconds=i|p|d:86400 nodeName=s|z|r nodeUID=s|z|r podName=s|z|r podUID=s|z|r serviceAccountName=s|z|r serviceAccountUID=s|z|r signerName=s|z|r stubPKCS10Request=y|z|r unverifiedUserAnnotations={s
T certificates.v1.PodCertificateRequestStatus - beginRefreshAt=t|p certificateChain=s conditions=[#251|m:type|M:type notAfter=t|p notBefore=t|p
T networking.v1.IngressClassSpec - controller=s parameters=#282|p
T networking.v1.IngressSpec - defaultBackend=#283|p ingressClassName=s|p rules=[#284 tls=[#285
T networking.v1.IngressStatus - loadBalancer=#286
T networking.v1.IPAddressSpec - parentRef=#287|p|r
T networking.v1.NetworkPolicySpec - egress=[#288 ingress=[#289 podSelector=#145|z policyTypes=[s
T networking.v1.ServiceCIDRSpec - cidrs=[s
T networking.v1.ServiceCIDRStatus - conditions=[#251|m:type|M:type
T policy.v1.PodDisruptionBudgetSpec - maxUnavailable=x|p minAvailable=x|p selector=#145|p unhealthyPodEvictionPolicy=s|p|e:AlwaysAllow+IfHealthyBudget
T policy.v1.PodDisruptionBudgetStatus - conditions=[#251|m:type|M:type currentHealthy=i|z desiredHealthy=i|z disruptedPods={t disruptionsAllowed=i|z expectedPods=i|z observedGeneration=l
T rbac.v1.RoleRef a apiGroup=s|z kind=s|z|r name=s|z|r
T rbac.v1.Subject a apiGroup=s kind=s|z|r name=s|z|r namespace=s
T rbac.v1.AggregationRule - clusterRoleSelectors=[#145
T rbac.v1.PolicyRule - apiGroups=[s nonResourceURLs=[s resourceNames=[s resources=[s verbs=[s|z|r
T storage.v1.CSIDriverSpec - attachRequired=b|p fsGroupPolicy=s|p nodeAllocatableUpdatePeriodSeconds=l|p podInfoOnMount=b|p preventPodSchedulingIfMissing=b|p requiresRepublish=b|p seLinuxMount=b|p serviceAccountTokenInSecrets=b|p storageCapacity=b|p tokenRequests=[#290 volumeLifecycleModes=[s|s
T storage.v1.CSINodeSpec - drivers=[#291|z|r|m:name|M:name
T storage.v1.CSINodeStatus - storageHealth=[#292|m:name|M:name
T apimachinery.pkg.apis.meta.v1.LabelSelector a matchExpressions=[#293 matchLabels={s
T core.v1.TopologySelectorTerm a matchLabelExpressions=[#294
T storage.v1.VolumeAttachmentSpec - attacher=s|z|r nodeName=s|z|r source=#295|z|r
T storage.v1.VolumeAttachmentStatus - attachError=#296|p attached=b|z|r attachmentMetadata={s detachError=#296|p
T admissionregistration.v1.MutatingAdmissionPolicySpec - failurePolicy=s|p|e:Fail+Ignore matchConditions=[#297|m:name|M:name matchConstraints=#298|p mutations=[#299 paramKind=#300|p reinvocationPolicy=s|e:IfNeeded+Never variables=[#301
T admissionregistration.v1.MutatingAdmissionPolicyBindingSpec - matchResources=#298|p paramRef=#302|p policyName=s
T admissionregistration.v1.MutatingWebhook - admissionReviewVersions=[s|z|r clientConfig=#303|z|r failurePolicy=s|p|e:Fail+Ignore matchConditions=[#297|m:name|M:name matchPolicy=s|p|e:Equivalent+Exact name=s|z|r namespaceSelector=#145|p objectSelector=#145|p reinvocationPolicy=s|p|e:IfNeeded+Never rules=[#304 sideEffects=s|z|p|r|e:None+NoneOnDryRun+Some+Unknown timeoutSeconds=i|p
T admissionregistration.v1.ValidatingAdmissionPolicySpec - auditAnnotations=[#305 failurePolicy=s|p|e:Fail+Ignore matchConditions=[#297|m:name|M:name matchConstraints=#298|p paramKind=#300|p validations=[#306 variables=[#301|m:name|M:name
T admissionregistration.v1.ValidatingAdmissionPolicyStatus - conditions=[#251|m:type observedGeneration=l typeChecking=#307|p
T admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec - matchResources=#298|p paramRef=#302|p policyName=s|r validationActions=[s|r|s
T admissionregistration.v1.ValidatingWebhook - admissionReviewVersions=[s|z|r clientConfig=#303|z|r failurePolicy=s|p|e:Fail+Ignore matchConditions=[#297|m:name|M:name matchPolicy=s|p|e:Equivalent+Exact name=s|z|r namespaceSelector=#145|p objectSelector=#145|p rules=[#304 sideEffects=s|z|p|r|e:None+NoneOnDryRun+Some+Unknown timeoutSeconds=i|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec - conversion=#308|p group=s|z|r names=#309|z|r preserveUnknownFields=b scope=s|z|r versions=[#310|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus - acceptedNames=#309|z conditions=[#311|z|m:type observedGeneration=l storedVersions=[s|z
T coordination.v1.LeaseSpec - acquireTime=u|p holderIdentity=s|p leaseDurationSeconds=i|p leaseTransitions=i|p preferredHolder=s|p renewTime=u|p strategy=s|p
T node.v1.Overhead - podFixed={q
)table",
R"table(T node.v1.Scheduling - nodeSelector={s|a tolerations=[#236
T discovery.v1.Endpoint - addresses=[s|z|r|s conditions=#312 deprecatedTopology={s hints=#313|p hostname=s|p nodeName=s|p targetRef=#73|p zone=s|p
T discovery.v1.EndpointPort a appProtocol=s|p name=s|p port=i|p protocol=s|p|e:SCTP+TCP+UDP
T resource.v1.DeviceClassSpec - config=[#314 extendedResourceName=s|p selectors=[#315
T resource.v1.DeviceTaintRuleSpec - deviceSelector=#316|p taint=#317|r
T resource.v1.DeviceTaintRuleStatus - conditions=[#251|m:type|M:type
T resource.v1.ResourceClaimSpec - devices=#318|z
T resource.v1.ResourceClaimStatus - allocation=#319|p devices=[#320|m:driver+device+pool+shareID reservedFor=[#321|m:uid|M:uid
T resource.v1.ResourceClaimTemplateSpec - metadata=#72 spec=#166|z
T resource.v1.ResourceSliceSpec - allNodes=b|p devices=[#322 driver=s|z|r nodeName=s|p nodeSelector=#323|p partitionTypeAttribute=s|p perDeviceNodeSelection=b|p pool=#324|z|r sharedCounters=[#325 skipNodeOperations=[s|s
T flowcontrol.v1.FlowSchemaSpec - distinguisherMethod=#326|p matchingPrecedence=i|z priorityLevelConfiguration=#327|z|r rules=[#328
T flowcontrol.v1.FlowSchemaStatus - conditions=[#329|m:type|M:type
T flowcontrol.v1.PriorityLevelConfigurationSpec - exempt=#330|p limited=#331|p type=s|z|r
T flowcontrol.v1.PriorityLevelConfigurationStatus - conditions=[#332|m:type|M:type
T storagemigration.v1.StorageVersionMigrationSpec - resource=#333|z|r
T storagemigration.v1.StorageVersionMigrationStatus - conditions=[#251|m:type|M:type resourceVersion=s
T apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry - apiVersion=s fieldsType=s fieldsV1=r|p manager=s operation=s subresource=s time=t|p
T apimachinery.pkg.apis.meta.v1.OwnerReference a apiVersion=s|z|r blockOwnerDeletion=b|p controller=b|p kind=s|z|r name=s|z|r uid=s|z|r
T core.v1.EndpointAddress a hostname=s ip=s|z|r nodeName=s|p targetRef=#73|p
T core.v1.EndpointPort a appProtocol=s|p name=s port=i|z|r protocol=s|e:SCTP+TCP+UDP
T core.v1.LimitRangeItem - default={q defaultRequest={q max={q maxLimitRequestRatio={q min={q type=s|z|r
T core.v1.NamespaceCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.NodeConfigSource - configMap=#334|p
T core.v1.NodePodPreemptionPolicy - disableResizePreemption=[s|s
T core.v1.Taint - effect=s|z|r|e:NoExecute+NoSchedule+PreferNoSchedule key=s|z|r timeAdded=t|p value=s
T core.v1.NodeAddress - address=s|z|r type=s|z|r
T core.v1.NodeCondition - lastHeartbeatTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.NodeConfigStatus - active=#182|p assigned=#182|p error=s lastKnownGood=#182|p
T core.v1.NodeDaemonEndpoints - kubeletEndpoint=#335
T core.v1.NodeFeatures - supplementalGroupsPolicy=b|p
T core.v1.ContainerImage - names=[s|z sizeBytes=l
T core.v1.NodeSystemInfo - architecture=s|z|r bootID=s|z|r containerRuntimeVersion=s|z|r kernelVersion=s|z|r kubeProxyVersion=s|z|r kubeletVersion=s|z|r machineID=s|z|r operatingSystem=s|z|r osImage=s|z|r runningInUserNamespace=b|p swap=#336|p systemUUID=s|z|r
T core.v1.NodeRuntimeHandler - features=#337|p name=s|z
T core.v1.AttachedVolume - devicePath=s|z|r name=s|z|r
T core.v1.TypedLocalObjectReference a apiGroup=s|z|p kind=s|z|r name=s|z|r
T core.v1.TypedObjectReference - apiGroup=s|z|p kind=s|z|r name=s|z|r namespace=s|p
T core.v1.VolumeResourceRequirements - limits={q requests={q
T core.v1.PersistentVolumeClaimCondition - lastProbeTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.VolumeHealthStatus - healthConditions=[#338|m:status+reason|M:status lastTransitionTime=t
T core.v1.ModifyVolumeStatus - status=s|z|r|e:InProgress+Infeasible+Pending targetVolumeAttributesClassName=s
T core.v1.AWSElasticBlockStoreVolumeSource - fsType=s partition=i readOnly=b volumeID=s|z|r
T core.v1.AzureDiskVolumeSource - cachingMode=s|p|e:None+ReadOnly+ReadWrite|d:"ReadWrite" diskName=s|z|r diskURI=s|z|r fsType=s|p|d:"ext4" kind=s|p|e:Dedicated+Managed+Shared|d:"Shared" readOnly=b|p
T core.v1.AzureFilePersistentVolumeSource - readOnly=b secretName=s|z|r secretNamespace=s|z|p shareName=s|z|r
T core.v1.CephFSPersistentVolumeSource - monitors=[s|z|r path=s readOnly=b secretFile=s secretRef=#339|p user=s
T core.v1.CinderPersistentVolumeSource - fsType=s readOnly=b secretRef=#339|p volumeID=s|z|r
T core.v1.CSIPersistentVolumeSource - controllerExpandSecretRef=#339|p controllerPublishSecretRef=#339|p driver=s|z|r fsType=s nodeExpandSecretRef=#339|p nodePublishSecretRef=#339|p nodeStageSecretRef=#339|p readOnly=b volumeAttributes={s volumeHandle=s|z|r
T core.v1.FCVolumeSource - fsType=s lun=i|p readOnly=b targetWWNs=[s wwids=[s
T core.v1.FlexPersistentVolumeSource - driver=s|z|r fsType=s options={s readOnly=b secretRef=#339|p
T core.v1.FlockerVolumeSource - datasetName=s datasetUUID=s
T core.v1.GCEPersistentDiskVolumeSource - fsType=s partition=i pdName=s|z|r readOnly=b
T core.v1.GlusterfsPersistentVolumeSource - endpoints=s|z|r endpointsNamespace=s|p path=s|z|r readOnly=b
T core.v1.HostPathVolumeSource - path=s|z|r type=s|p|e:BlockDevice+CharDevice+Directory+DirectoryOrCreate+File+FileOrCreate+Socket
T core.v1.ISCSIPersistentVolumeSource - chapAuthDiscovery=b chapAuthSession=b fsType=s initiatorName=s|p iqn=s|z|r iscsiInterface=s|d:"default" lun=i|z|r portals=[s readOnly=b secretRef=#339|p targetPortal=s|z|r
T core.v1.LocalVolumeSource - fsType=s|p path=s|z|r
T core.v1.NFSVolumeSource - path=s|z|r readOnly=b server=s|z|r
T core.v1.VolumeNodeAffinity - required=#323|p
T core.v1.PhotonPersistentDiskVolumeSource - fsType=s pdID=s|z|r
T core.v1.PortworxVolumeSource - fsType=s readOnly=b volumeID=s|z|r
T core.v1.QuobyteVolumeSource - group=s readOnly=b registry=s|z|r tenant=s user=s volume=s|z|r
T core.v1.RBDPersistentVolumeSource - fsType=s image=s|z|r keyring=s|d:"/etc/ceph/keyring" monitors=[s|z|r pool=s|d:"rbd" readOnly=b secretRef=#339|p user=s|d:"admin"
T core.v1.ScaleIOPersistentVolumeSource - fsType=s|d:"xfs" gateway=s|z|r protectionDomain=s readOnly=b secretRef=#339|z|p|r sslEnabled=b storageMode=s|d:"ThinProvisioned" storagePool=s system=s|z|r volumeName=s
T core.v1.StorageOSPersistentVolumeSource - fsType=s readOnly=b secretRef=#73|p volumeName=s volumeNamespace=s
T core.v1.VsphereVirtualDiskVolumeSource - fsType=s storagePolicyID=s storagePolicyName=s volumePath=s|z|r
T core.v1.Affinity - nodeAffinity=#340|p podAffinity=#341|p podAntiAffinity=#342|p
T core.v1.Container - args=[s command=[s env=[#343|m:name|M:name envFrom=[#344 image=s imagePullPolicy=s|e:Always+IfNotPresent+Never lifecycle=#345|p livenessProbe=#346|p name=s|z|r ports=[#347|m:containerPort+protocol|M:containerPort readinessProbe=#346|p resizePolicy=[#348 resources=#232 restartPolicy=s|p restartPolicyRules=[#349 securityContext=#350|p startupProbe=#346|p stdin=b stdinOnce=b terminationMessagePath=s terminationMessagePolicy=s|e:FallbackToLogsOnError+File tty=b volumeDevices=[#351|m:devicePath|M:devicePath volumeMounts=[#352|m:mountPath|M:mountPath workingDir=s
T core.v1.PodDNSConfig - nameservers=[s options=[#353 searches=[s
T core.v1.EphemeralContainer - args=[s command=[s env=[#343|m:name|M:name envFrom=[#344 image=s imagePullPolicy=s|e:Always+IfNotPresent+Never lifecycle=#345|p livenessProbe=#346|p name=s|z|r ports=[#347|m:containerPort+protocol|M:containerPort readinessProbe=#346|p resizePolicy=[#348 resources=#232 restartPolicy=s|p restartPolicyRules=[#349 securityContext=#350|p startupProbe=#346|p stdin=b stdinOnce=b targetContainerName=s terminationMessagePath=s terminationMessagePolicy=s|e:FallbackToLogsOnError+File tty=b volumeDevices=[#351|m:devicePath|M:devicePath volumeMounts=[#352|m:mountPath|M:mountPath workingDir=s
T core.v1.EvictionResponder a name=s|z|r priority=i|z|p|r
T core.v1.HostAlias - hostnames=[s ip=s|z|r
T core.v1.PodOS - name=s|z|r
T core.v1.PodReadinessGate - conditionType=s|z|r
T core.v1.PodResourceClaim - name=s|z|r resourceClaimName=s|p resourceClaimTemplateName=s|p
T core.v1.ResourceRequirements - claims=[#354|m:name limits={q requests={q
T core.v1.PodSchedulingGate - name=s|z|r
T core.v1.PodSchedulingGroup - podGroupName=s|p
T core.v1.PodSecurityContext - appArmorProfile=#355|p fsGroup=l|p fsGroupChangePolicy=s|p|e:Always+OnRootMismatch runAsGroup=l|p runAsNonRoot=b|p runAsUser=l|p seLinuxChangePolicy=s|p seLinuxOptions=#356|p seccompProfile=#357|p supplementalGroups=[l supplementalGroupsPolicy=s|p|e:Merge+Strict sysctls=[#358 windowsOptions=#359|p
T core.v1.Toleration - effect=s|e:NoExecute+NoSchedule+PreferNoSchedule key=s operator=s|e:Equal+Exists+Gt+Lt tolerationSeconds=l|p value=s
T core.v1.TopologySpreadConstraint - labelSelector=#145|p matchLabelKeys=[s maxSkew=i|z|r minDomains=i|p nodeAffinityPolicy=s|p|e:Honor+Ignore nodeTaintsPolicy=s|p|e:Honor+Ignore topologyKey=s|z|r whenUnsatisfiable=s|z|r|e:DoNotSchedule+ScheduleAnyway
T core.v1.Volume - awsElasticBlockStore=#200|p azureDisk=#201|p azureFile=#360|p cephfs=#361|p cinder=#362|p configMap=#363|p csi=#364|p downwardAPI=#365|p emptyDir=#366|p ephemeral=#367|p fc=#206|p flexVolume=#368|p flocker=#208|p gcePersistentDisk=#209|p gitRepo=#369|p glusterfs=#370|p hostPath=#211|p image=#371|p iscsi=#372|p name=s|z|r nfs=#214|p persistentVolumeClaim=#373|p photonPersistentDisk=#216|p portworxVolume=#217|p projected=#374|p quobyte=#218|p rbd=#375|p scaleIO=#376|p secret=#377|p storageos=#378|p vsphereVolume=#222|p
T core.v1.PodCondition - lastProbeTime=t lastTransitionTime=t message=s observedGeneration=l reason=s status=s|z|r type=s|z|r
T core.v1.ContainerStatus - allocatedResources={q allocatedResourcesStatus=[#379|m:name|M:name containerID=s image=s|z|r imageID=s|z|r lastState=#380 name=s|z|r ready=b|z|r resources=#232|p restartCount=i|z|r started=b|p state=#380 stopSignal=s|p|e:SIGABRT+SIGALRM+SIGBUS+SIGCHLD+SIGCLD+SIGCONT+SIGFPE+SIGHUP+SIGILL+SIGINT+SIGIO+SIGIOT+SIGKILL+SIGPIPE+SIGPOLL+SIGPROF+SIGPWR+SIGQUIT+SIGRTMAX+SIGRTMAX-1+SIGRTMAX-10+SIGRTMAX-11+SIGRTMAX-12+SIGRTMAX-13+SIGRTMAX-14+SIGRTMAX-2+SIGRTMAX-3+SIGRTMAX-4+SIGRTMAX-5+SIGRTMAX-6+SIGRTMAX-7+SIGRTMAX-8+SIGRTMAX-9+SIGRTMIN+SIGRTMIN+1+SIGRTMIN+10+SIGRTMIN+11+SIGRTMIN+12+SIGRTMIN+13+SIGRTMIN+14+SIGRTMIN+15+SIGRTMIN+2+SIGRTMIN+3+SIGRTMIN+4+SIGRTMIN+5+SIGRTMIN+6+SIGRTMIN+7+SIGRTMIN+8+SIGRTMIN+9+SIGSEGV+SIGSTKFLT+SIGSTOP+SIGSYS+SIGTERM+SIGTRAP+SIGTSTP+SIGTTIN+SIGTTOU+SIGURG+SIGUSR1+SIGUSR2+SIGVTALRM+SIGWINCH+SIGXCPU+SIGXFSZ user=#381|p volumeMounts=[#382|m:mountPath|M:mountPath
T core.v1.PodExtendedResourceClaimStatus - requestMappings=[#383|z|r resourceClaimName=s|z|r
T core.v1.HostIP - ip=s|z|r
T core.v1.NodeAllocatableResourceClaimStatus - containers=[s|s mapping=[#384|m:name|M:name overhead=[#385|m:name|M:name resourceClaimName=s|z|r
T core.v1.PodIP - ip=s|z|r
T core.v1.PodResourceClaimStatus - name=s|z|r resourceClaimName=s|p
T core.v1.PodVolumeHealth - healthConditions=[#338|m:status+reason|M:status lastTransitionTime=t name=s|z|r
T core.v1.ReplicationControllerCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.ScopeSelector a matchExpressions=[#386
T core.v1.ServicePort - appProtocol=s|p name=s nodePort=i port=i|z|r protocol=s|e:SCTP+TCP+UDP|d:"TCP" targetPort=x
T core.v1.SessionAffinityConfig - clientIP=#387|p
T apimachinery.pkg.apis.meta.v1.Condition - lastTransitionTime=t|z|r message=s|z|r observedGeneration=l reason=s|z|r status=s|z|r type=s|z|r
T core.v1.LoadBalancerStatus - ingress=[#388
T kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference - name=s namespace=s port=i|p
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T apps.v1.DaemonSetUpdateStrategy - rollingUpdate=#389|p type=s|e:OnDelete+RollingUpdate
T apps.v1.DaemonSetCondition - lastTransitionTime=t message=s reason=s status=s|z type=s|z
T apps.v1.DeploymentStrategy - rollingUpdate=#390|p type=s|e:Recreate+RollingUpdate
T apps.v1.DeploymentCondition - lastTransitionTime=t lastUpdateTime=t message=s reason=s status=s|z type=s|z
T apps.v1.ReplicaSetCondition - lastTransitionTime=t message=s reason=s status=s|z type=s|z
T apps.v1.StatefulSetOrdinals - start=i|z
T apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy - whenDeleted=s whenScaled=s
T apps.v1.StatefulSetUpdateStrategy - rollingUpdate=#391|p type=s|e:OnDelete+Recreate+RollingUpdate
T apps.v1.StatefulSetCondition - lastTransitionTime=t message=s reason=s status=s|z type=s|z
T authentication.v1.UserInfo - extra={[s groups=[s uid=s username=s
T authorization.v1.NonResourceAttributes - path=s verb=s
T authorization.v1.ResourceAttributes - fieldSelector=#392|p group=s labelSelector=#393|p name=s namespace=s resource=s subresource=s verb=s version=s
T authorization.v1.NonResourceRule - nonResourceURLs=[s verbs=[s|z|r
T authorization.v1.ResourceRule - apiGroups=[s resourceNames=[s resources=[s verbs=[s|z|r
T autoscaling.v2.HorizontalPodAutoscalerBehavior - scaleDown=#394|p scaleUp=#394|p
T autoscaling.v2.MetricSpec - containerResource=#395|p external=#396|p object=#397|p pods=#398|p resource=#399|p type=s|z|r
T autoscaling.v2.CrossVersionObjectReference - apiVersion=s kind=s|z|r name=s|z|r
T autoscaling.v2.HorizontalPodAutoscalerCondition - lastTransitionTime=t message=s observedGeneration=l|p reason=s status=s|z|r type=s|z|r
T autoscaling.v2.MetricStatus - containerResource=#400|p external=#401|p object=#402|p pods=#403|p resource=#404|p type=s|z|r
T autoscaling.v1.CrossVersionObjectReference a apiVersion=s kind=s|z|r name=s|z|r
T batch.v1.JobTemplateSpec - metadata=#72 spec=#122
T batch.v1.PodFailurePolicy - rules=[#405|z|r
T batch.v1.JobSchedulingConfiguration - disruptionMode=#406|p resourceClaims=[#407|m:name|M:name schedulingConstraints=#408|p schedulingPolicy=#409|p
T batch.v1.SuccessPolicy - rules=[#410|z|r
T batch.v1.JobCondition - lastProbeTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T batch.v1.UncountedTerminatedPods - failed=[s|s succeeded=[s|s
T certificates.v1.CertificateSigningRequestCondition - lastTransitionTime=t lastUpdateTime=t message=s reason=s status=s|z|r type=s|z|r
T networking.v1.IngressClassParametersReference - apiGroup=s|p kind=s|z|r name=s|z|r namespace=s|p scope=s|z|p
T networking.v1.IngressBackend - resource=#194|p service=#411|p
T networking.v1.IngressRule - host=s http=#412|p
T networking.v1.IngressTLS - hosts=[s secretName=s
T networking.v1.IngressLoadBalancerStatus - ingress=[#413
T networking.v1.ParentReference - group=s name=s|r namespace=s resource=s|r
T networking.v1.NetworkPolicyEgressRule - ports=[#414 to=[#415
T networking.v1.NetworkPolicyIngressRule - from=[#415 ports=[#414
T storage.v1.TokenRequest - audience=s|z|r expirationSeconds=l|p
T storage.v1.CSINodeDriver - allocatable=#416|p name=s|z|r nodeID=s|z|r topologyKeys=[s|z
T storage.v1.StorageHealth - healthConditions=[#417 name=s|z|r
T apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement - key=s|z|r operator=s|z|r values=[s
T core.v1.TopologySelectorLabelRequirement - key=s|z|r values=[s|z|r
T storage.v1.VolumeAttachmentSource - inlineVolumeSpec=#85|p persistentVolumeName=s|p
T storage.v1.VolumeError - errorCode=i|p message=s time=t
T admissionregistration.v1.MatchCondition - expression=s|z|r name=s|z|r
T admissionregistration.v1.MatchResources a excludeResourceRules=[#418 matchPolicy=s|p|e:Equivalent+Exact namespaceSelector=#145|p objectSelector=#145|p resourceRules=[#418
T admissionregistration.v1.Mutation - applyConfiguration=#419|p jsonPatch=#420|p patchType=s|z|r|e:ApplyConfiguration+JSONPatch
T admissionregistration.v1.ParamKind a apiVersion=s kind=s
T admissionregistration.v1.Variable a expression=s|z|r name=s|z|r
T admissionregistration.v1.ParamRef a name=s namespace=s parameterNotFoundAction=s|p selector=#145|p
T admissionregistration.v1.WebhookClientConfig - caBundle=y service=#421|p url=s|p
T admissionregistration.v1.RuleWithOperations - apiGroups=[s|p apiVersions=[s|p operations=[s resources=[s|p scope=s|p|e:*+Cluster+Namespaced
T admissionregistration.v1.AuditAnnotation - key=s|z|r valueExpression=s|z|r
T admissionregistration.v1.Validation - expression=s|z|r message=s messageExpression=s reason=s|p
T admissionregistration.v1.TypeChecking - expressionWarnings=[#422
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion - strategy=s|z|r webhook=#423|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames - categories=[s kind=s|z|r listKind=s plural=s|z|r shortNames=[s singular=s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion - additionalPrinterColumns=[#424 deprecated=b deprecationWarning=s|p name=s|z|r schema=#425|p selectableFields=[#426 served=b|z|r storage=b|z|r subresources=#427|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition - lastTransitionTime=t message=s observedGeneration=l reason=s status=s|z|r type=s|z|r
T discovery.v1.EndpointConditions - ready=b|p serving=b|p terminating=b|p
T discovery.v1.EndpointHints - forNodes=[#428 forZones=[#429
T resource.v1.DeviceClassConfiguration - opaque=#430|p
T resource.v1.DeviceSelector - cel=#431|p
T resource.v1.DeviceTaintSelector - device=s|p driver=s|p pool=s|p
T resource.v1.DeviceTaint - effect=s|z|r|e:NoExecute+NoSchedule+None key=s|z|r timeAdded=t|p value=s
T resource.v1.DeviceClaim - config=[#432 constraints=[#433 requests=[#434|z
T resource.v1.AllocationResult - allocationTimestamp=t|p devices=#435 nodeSelector=#323|p
T resource.v1.AllocatedDeviceStatus - conditions=[#251|z|m:type data=r|p device=s|z|r driver=s|z|r networkData=#436|p pool=s|z|r shareID=s|p
T resource.v1.ResourceClaimConsumerReference - apiGroup=s name=s|z|r resource=s|z|r uid=s|z|r
T resource.v1.Device - allNodes=b|p allowMultipleAllocations=b|p attributes={#437 bindingConditions=[s bindingFailureConditions=[s bindsToNode=b|p capacity={#438 consumesCounters=[#439 name=s|z|r nodeAllocatableResources={#440 nodeName=s|p nodeSelector=#323|p taints=[#317
T core.v1.NodeSelector a nodeSelectorTerms=[#441|z|r
T resource.v1.ResourcePool - generation=l|z|r name=s|z|r resourceSliceCount=l|z|r
T resource.v1.CounterSet - counters={#442|r name=s|z|r
T flowcontrol.v1.FlowDistinguisherMethod - type=s|z|r
T flowcontrol.v1.PriorityLevelConfigurationReference - name=s|z|r
T flowcontrol.v1.PolicyRulesWithSubjects - nonResourceRules=[#443 resourceRules=[#444 subjects=[#445|z|r
T flowcontrol.v1.FlowSchemaCondition - lastTransitionTime=t message=s reason=s status=s type=s|r
T flowcontrol.v1.ExemptPriorityLevelConfiguration - lendablePercent=i|p nominalConcurrencyShares=i|p
T flowcontrol.v1.LimitedPriorityLevelConfiguration - borrowingLimitPercent=i|p lendablePercent=i|p limitResponse=#446|r nominalConcurrencyShares=i|z|p
T flowcontrol.v1.PriorityLevelConfigurationCondition - lastTransitionTime=t message=s reason=s status=s type=s|r
T apimachinery.pkg.apis.meta.v1.GroupResource - group=s|z|r resource=s|z|r
T core.v1.ConfigMapNodeConfigSource - kubeletConfigKey=s|z|r name=s|z|r namespace=s|z|r resourceVersion=s uid=s
T core.v1.DaemonEndpoint - Port=i|z|r
T core.v1.NodeSwapStatus - capacity=l|p
T core.v1.NodeRuntimeHandlerFeatures - recursiveReadOnlyMounts=b|p userNamespaces=b|p
T core.v1.VolumeHealthCondition - message=s reason=s|z|r status=s|z|r|e:DataLoss+Degraded+Inaccessible
T core.v1.SecretReference a name=s namespace=s
T core.v1.NodeAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#447 requiredDuringSchedulingIgnoredDuringExecution=#323|p
T core.v1.PodAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#448 requiredDuringSchedulingIgnoredDuringExecution=[#449
T core.v1.PodAntiAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#448 requiredDuringSchedulingIgnoredDuringExecution=[#449
T core.v1.EnvVar - name=s|z|r value=s valueFrom=#450|p
T core.v1.EnvFromSource - configMapRef=#451|p prefix=s secretRef=#452|p
T core.v1.Lifecycle - postStart=#453|p preStop=#453|p stopSignal=s|p|e:SIGABRT+SIGALRM+SIGBUS+SIGCHLD+SIGCLD+SIGCONT+SIGFPE+SIGHUP+SIGILL+SIGINT+SIGIO+SIGIOT+SIGKILL+SIGPIPE+SIGPOLL+SIGPROF+SIGPWR+SIGQUIT+SIGRTMAX+SIGRTMAX-1+SIGRTMAX-10+SIGRTMAX-11+SIGRTMAX-12+SIGRTMAX-13+SIGRTMAX-14+SIGRTMAX-2+SIGRTMAX-3+SIGRTMAX-4+SIGRTMAX-5+SIGRTMAX-6+SIGRTMAX-7+SIGRTMAX-8+SIGRTMAX-9+SIGRTMIN+SIGRTMIN+1+SIGRTMIN+10+SIGRTMIN+11+SIGRTMIN+12+SIGRTMIN+13+SIGRTMIN+14+SIGRTMIN+15+SIGRTMIN+2+SIGRTMIN+3+SIGRTMIN+4+SIGRTMIN+5+SIGRTMIN+6+SIGRTMIN+7+SIGRTMIN+8+SIGRTMIN+9+SIGSEGV+SIGSTKFLT+SIGSTOP+SIGSYS+SIGTERM+SIGTRAP+SIGTSTP+SIGTTIN+SIGTTOU+SIGURG+SIGUSR1+SIGUSR2+SIGVTALRM+SIGWINCH+SIGXCPU+SIGXFSZ
T core.v1.Probe - exec=#454|p failureThreshold=i grpc=#455|p httpGet=#456|p initialDelaySeconds=i periodSeconds=i successThreshold=i tcpSocket=#457|p terminationGracePeriodSeconds=l|p timeoutSeconds=i
T core.v1.ContainerPort - containerPort=i|z|r hostIP=s hostPort=i name=s protocol=s|e:SCTP+TCP+UDP|d:"TCP"
T core.v1.ContainerResizePolicy - resourceName=s|z|r restartPolicy=s|z|r
T core.v1.ContainerRestartRule - action=s|r exitCodes=#458|p
T core.v1.SecurityContext - allowPrivilegeEscalation=b|p appArmorProfile=#355|p capabilities=#459|p privileged=b|p procMount=s|p|e:Default+Unmasked readOnlyRootFilesystem=b|p runAsGroup=l|p runAsNonRoot=b|p runAsUser=l|p seLinuxOptions=#356|p seccompProfile=#357|p windowsOptions=#359|p
T core.v1.VolumeDevice - devicePath=s|z|r name=s|z|r
T core.v1.VolumeMount - bindMountOptions=[s|s mountPath=s|z|r mountPropagation=s|p|e:Bidirectional+HostToContainer+None name=s|z|r readOnly=b recursiveReadOnly=s|p subPath=s subPathExpr=s
T core.v1.PodDNSConfigOption - name=s value=s|p
T core.v1.ResourceClaim - name=s|z|r request=s
T core.v1.AppArmorProfile - localhostProfile=s|p type=s|z|r|e:Localhost+RuntimeDefault+Unconfined
T core.v1.SELinuxOptions - level=s role=s type=s user=s
T core.v1.SeccompProfile - localhostProfile=s|p type=s|z|r|e:Localhost+RuntimeDefault+Unconfined
T core.v1.Sysctl - name=s|z|r value=s|z|r
T core.v1.WindowsSecurityContextOptions - gmsaCredentialSpec=s|p gmsaCredentialSpecName=s|p hostProcess=b|p runAsUserName=s|p
T core.v1.AzureFileVolumeSource - readOnly=b secretName=s|z|r shareName=s|z|r
T core.v1.CephFSVolumeSource - monitors=[s|z|r path=s readOnly=b secretFile=s secretRef=#94|p user=s
T core.v1.CinderVolumeSource - fsType=s readOnly=b secretRef=#94|p volumeID=s|z|r
T core.v1.ConfigMapVolumeSource - defaultMode=i|p defaultUser=l|p items=[#460 name=s|p optional=b|p
T core.v1.CSIVolumeSource - driver=s|z|r fsType=s|p nodePublishSecretRef=#94|p readOnly=b|p volumeAttributes={s
T core.v1.DownwardAPIVolumeSource - defaultMode=i|p defaultUser=l|p items=[#461
T core.v1.EmptyDirVolumeSource - medium=s mode=i|p sizeLimit=q|p
T core.v1.EphemeralVolumeSource - volumeClaimTemplate=#462|p
T core.v1.FlexVolumeSource - driver=s|z|r fsType=s options={s readOnly=b secretRef=#94|p
T core.v1.GitRepoVolumeSource - directory=s repository=s|z|r revision=s
T core.v1.GlusterfsVolumeSource - endpoints=s|z|r path=s|z|r readOnly=b
T core.v1.ImageVolumeSource - pullPolicy=s|e:Always+IfNotPresent+Never reference=s
T core.v1.ISCSIVolumeSource - chapAuthDiscovery=b chapAuthSession=b fsType=s initiatorName=s|p iqn=s|z|r iscsiInterface=s|d:"default" lun=i|z|r portals=[s readOnly=b secretRef=#94|p targetPortal=s|z|r
T core.v1.PersistentVolumeClaimVolumeSource - claimName=s|z|r readOnly=b
T core.v1.ProjectedVolumeSource - defaultMode=i|p defaultUser=l|p sources=[#463|z
T core.v1.RBDVolumeSource - fsType=s image=s|z|r keyring=s|d:"/etc/ceph/keyring" monitors=[s|z|r pool=s|d:"rbd" readOnly=b secretRef=#94|p user=s|d:"admin"
T core.v1.ScaleIOVolumeSource - fsType=s|d:"xfs" gateway=s|z|r protectionDomain=s readOnly=b secretRef=#94|z|p|r sslEnabled=b storageMode=s|d:"ThinProvisioned" storagePool=s system=s|z|r volumeName=s
T core.v1.SecretVolumeSource - defaultMode=i|p defaultUser=l|p items=[#460 optional=b|p secretName=s
T core.v1.StorageOSVolumeSource - fsType=s readOnly=b secretRef=#94|p volumeName=s volumeNamespace=s
T core.v1.ResourceStatus - name=s|z|r resources=[#464|m:resourceID
T core.v1.ContainerState - running=#465|p terminated=#466|p waiting=#467|p
T core.v1.ContainerUser - linux=#468|p
T core.v1.VolumeMountStatus - mountPath=s|z|r name=s|z|r readOnly=b recursiveReadOnly=s|p volumeStatus=#469|p
T core.v1.ContainerExtendedResourceRequest - containerName=s|z|r requestName=s|z|r resourceName=s|z|r
T core.v1.NodeAllocatableMappedResources - name=s|z|r quantity=q|z|p|r
T core.v1.NodeAllocatableOverheadResources - name=s|z|r perContainer=q|p perPod=q|p
T core.v1.ScopedResourceSelectorRequirement - operator=s|z|r|e:DoesNotExist+Exists+In+NotIn scopeName=s|z|r|e:BestEffort+CrossNamespacePodAffinity+NotBestEffort+NotTerminating+PriorityClass+Terminating+VolumeAttributesClass values=[s
T core.v1.ClientIPConfig - timeoutSeconds=i|p
T core.v1.LoadBalancerIngress - hostname=s ip=s ipMode=s|p ports=[#470
T apps.v1.RollingUpdateDaemonSet - maxSurge=x|p maxUnavailable=x|p
T apps.v1.RollingUpdateDeployment - maxSurge=x|p maxUnavailable=x|p
T apps.v1.RollingUpdateStatefulSetStrategy - maxUnavailable=x|p partition=i|p
T authorization.v1.FieldSelectorAttributes - rawSelector=s requirements=[#471
T authorization.v1.LabelSelectorAttributes - rawSelector=s requirements=[#293
T autoscaling.v2.HPAScalingRules - policies=[#472 selectPolicy=s|p stabilizationWindowSeconds=i|p tolerance=q|p
T autoscaling.v2.ContainerResourceMetricSource - container=s|z|r name=s|z|r target=#473|z|r
T autoscaling.v2.ExternalMetricSource - metric=#474|z|r target=#473|z|r
T autoscaling.v2.ObjectMetricSource - describedObject=#271|z|r metric=#474|z|r target=#473|z|r
T autoscaling.v2.PodsMetricSource - metric=#474|z|r target=#473|z|r
T autoscaling.v2.ResourceMetricSource - name=s|z|r target=#473|z|r
T autoscaling.v2.ContainerResourceMetricStatus - container=s|z|r current=#475|z|r name=s|z|r
T autoscaling.v2.ExternalMetricStatus - current=#475|z|r metric=#474|z|r
T autoscaling.v2.ObjectMetricStatus - current=#475|z|r describedObject=#271|z|r metric=#474|z|r
T autoscaling.v2.PodsMetricStatus - current=#475|z|r metric=#474|z|r
T autoscaling.v2.ResourceMetricStatus - current=#475|z|r name=s|z|r
T batch.v1.PodFailurePolicyRule - action=s|z|r|e:Count+FailIndex+FailJob+Ignore onExitCodes=#476|p onPodConditions=[#477
T scheduling.v1alpha3.WorkloadPodGroupDisruptionMode - all=#478|p single=#479|p
T scheduling.v1alpha3.WorkloadPodGroupResourceClaim - name=s|z|r resourceClaimName=s|p resourceClaimTemplateName=s|p
T scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints - topology=[#480
T scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy - basic=#481|p gang=#482|p
T batch.v1.SuccessPolicyRule - succeededCount=i|p succeededIndexes=s|p
T networking.v1.IngressServiceBackend - name=s|z|r port=#483
T networking.v1.HTTPIngressRuleValue - paths=[#484|z|r
T networking.v1.IngressLoadBalancerIngress - hostname=s ip=s ports=[#485
T networking.v1.NetworkPolicyPort - endPort=i|p port=x|p protocol=s|p|e:SCTP+TCP+UDP
T networking.v1.NetworkPolicyPeer - ipBlock=#486|p namespaceSelector=#145|p podSelector=#145|p
T storage.v1.VolumeNodeResources - count=i|p
T storage.v1.StorageHealthCondition - accessMode=s|p|e:ReadOnlyMany+ReadWriteMany+ReadWriteOnce+ReadWriteOncePod lastTransitionTime=t message=s reason=s|z|r status=s|z|r|e:StorageDegraded+StorageUnreachable volumeMode=s|p|e:Block+Filesystem
T admissionregistration.v1.NamedRuleWithOperations a apiGroups=[s|p apiVersions=[s|p operations=[s|p resourceNames=[s resources=[s|p scope=s|p|e:*+Cluster+Namespaced
T admissionregistration.v1.ApplyConfiguration - expression=s
T admissionregistration.v1.JSONPatch - expression=s
T admissionregistration.v1.ServiceReference - name=s|z|r namespace=s|z|r path=s|p port=i|p
T admissionregistration.v1.ExpressionWarning - fieldRef=s|z|r warning=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion - clientConfig=#487|p conversionReviewVersions=[s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition - description=s format=s jsonPath=s|z|r name=s|z|r priority=i type=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation - openAPIV3Schema=#488|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField - jsonPath=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources - scale=#489|p status=#490|p
T discovery.v1.ForNode - name=s|z|r
T discovery.v1.ForZone - name=s|z|r
T resource.v1.OpaqueDeviceConfiguration - driver=s|z|r parameters=r|z|r
T resource.v1.CELDeviceSelector - expression=s|z|r
T resource.v1.DeviceClaimConfiguration - opaque=#430|p requests=[s
T resource.v1.DeviceConstraint - distinctAttribute=s|p matchAttribute=s|p requests=[s
T resource.v1.DeviceRequest - exactly=#491|p firstAvailable=[#492 name=s|z|r
T resource.v1.DeviceAllocationResult - config=[#493 results=[#494
T resource.v1.NetworkDeviceData - hardwareAddress=s interfaceName=s ips=[s
T resource.v1.DeviceAttribute - bool=b|p bools=[b int=l|p ints=[l string=s|p strings=[s version=s|p versions=[s
T resource.v1.DeviceCapacity - requestPolicy=#495|p value=q|z|r
T resource.v1.DeviceCounterConsumption - compatibilityGroups=[s counterSet=s|z|r counters={#442|r
T resource.v1.NodeAllocatableResource - mapping=#496|p overhead=#497|p
T core.v1.NodeSelectorTerm a matchExpressions=[#498 matchFields=[#498
T resource.v1.Counter - value=q|z|r
T flowcontrol.v1.NonResourcePolicyRule - nonResourceURLs=[s|z|r|s verbs=[s|z|r|s
T flowcontrol.v1.ResourcePolicyRule - apiGroups=[s|z|r|s clusterScope=b namespaces=[s|z|s resources=[s|z|r|s verbs=[s|z|r|s
T flowcontrol.v1.Subject - group=#499|p kind=s|z|r serviceAccount=#500|p user=#501|p
T flowcontrol.v1.LimitResponse - queuing=#502|p type=s|z|r
T core.v1.PreferredSchedulingTerm - preference=#441|z|r weight=i|z|r
T core.v1.WeightedPodAffinityTerm - podAffinityTerm=#449|z|r weight=i|z|r
T core.v1.PodAffinityTerm - labelSelector=#145|p matchLabelKeys=[s mismatchLabelKeys=[s namespaceSelector=#145|p namespaces=[s topologyKey=s|z|r
T core.v1.EnvVarSource - configMapKeyRef=#503|p fieldRef=#504|p fileKeyRef=#505|p resourceFieldRef=#506|p secretKeyRef=#507|p
T core.v1.ConfigMapEnvSource - name=s|p optional=b|p
T core.v1.SecretEnvSource - name=s|p optional=b|p
)table",
R"table(T core.v1.LifecycleHandler - exec=#454|p httpGet=#456|p sleep=#508|p tcpSocket=#457|p
T core.v1.ExecAction - command=[s
T core.v1.GRPCAction - mode=s|p|e:Plaintext+TLS port=i|z|r service=s|z|p
T core.v1.HTTPGetAction - host=s httpHeaders=[#509 path=s port=x|z|r protocol=s|p|e:HTTP1+HTTP2 scheme=s|e:HTTP+HTTPS
T core.v1.TCPSocketAction - host=s port=x|z|r
T core.v1.ContainerRestartRuleOnExitCodes - operator=s|r values=[i|s
T core.v1.Capabilities - add=[s drop=[s
T core.v1.KeyToPath - key=s|z|r mode=i|p path=s|z|r user=l|p
T core.v1.DownwardAPIVolumeFile - fieldRef=#504|p mode=i|p path=s|z|r resourceFieldRef=#506|p user=l|p
T core.v1.PersistentVolumeClaimTemplate - metadata=#72 spec=#83|z|r
T core.v1.VolumeProjection - clusterTrustBundle=#510|p configMap=#511|p downwardAPI=#512|p podCertificate=#513|p secret=#514|p serviceAccountToken=#515|p
T core.v1.ResourceHealth - health=s message=s|p resourceID=s|z|r
T core.v1.ContainerStateRunning - startedAt=t
T core.v1.ContainerStateTerminated - containerID=s exitCode=i|z|r finishedAt=t message=s reason=s signal=i startedAt=t
T core.v1.ContainerStateWaiting - message=s reason=s
T core.v1.LinuxContainerUser - gid=l|z|r supplementalGroups=[l uid=l|z|r
T core.v1.VolumeStatus - image=#516|p
T core.v1.PortStatus - error=s|p port=i|z|r protocol=s|z|r|e:SCTP+TCP+UDP
T apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement - key=s|z|r operator=s|z|r values=[s
T autoscaling.v2.HPAScalingPolicy - periodSeconds=i|z|r type=s|z|r value=i|z|r
T autoscaling.v2.MetricTarget - averageUtilization=i|p averageValue=q|p type=s|z|r value=q|p
T autoscaling.v2.MetricIdentifier - name=s|z|r selector=#145|p
T autoscaling.v2.MetricValueStatus - averageUtilization=i|p averageValue=q|p value=q|p
T batch.v1.PodFailurePolicyOnExitCodesRequirement - containerName=s|p operator=s|z|r|e:In+NotIn values=[i|z|r|s
T batch.v1.PodFailurePolicyOnPodConditionsPattern - status=s|z type=s|z|r
T scheduling.v1alpha3.WorkloadPodGroupAllDisruptionMode -
T scheduling.v1alpha3.WorkloadPodGroupSingleDisruptionMode -
T scheduling.v1alpha3.TopologyConstraint - key=s|z|r
T scheduling.v1alpha3.WorkloadPodGroupBasicSchedulingPolicy -
T scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy - minCount=i|p
T networking.v1.ServiceBackendPort a name=s number=i
T networking.v1.HTTPIngressPath - backend=#283|z|r path=s pathType=s|z|p|r|e:Exact+ImplementationSpecific+Prefix
T networking.v1.IngressPortStatus - error=s|p port=i|z|r protocol=s|z|r|e:SCTP+TCP+UDP
T networking.v1.IPBlock - cidr=s|z|r except=[s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig - caBundle=y service=#517|p url=s|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps - $ref=s|p $schema=s additionalItems=r|p additionalProperties=r|p allOf=[#488 anyOf=[#488 default=r|p definitions={#488 dependencies={r description=s enum=[r example=r|p exclusiveMaximum=b exclusiveMinimum=b externalDocs=#518|p format=s id=s items=r|p maxItems=l|p maxLength=l|p maxProperties=l|p maximum=n|p minItems=l|p minLength=l|p minProperties=l|p minimum=n|p multipleOf=n|p not=#488|p nullable=b oneOf=[#488 pattern=s patternProperties={#488 properties={#488 required=[s title=s type=s uniqueItems=b x-kubernetes-embedded-resource=b x-kubernetes-int-or-string=b x-kubernetes-list-map-keys=[s x-kubernetes-list-type=s|p x-kubernetes-map-type=s|p x-kubernetes-preserve-unknown-fields=b|p x-kubernetes-validations=[#519|m:rule|M:rule
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale - labelSelectorPath=s|p specReplicasPath=s|z|r statusReplicasPath=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus -
T resource.v1.ExactDeviceRequest - adminAccess=b|p allocationMode=s|e:All+ExactCount capacity=#520|p count=l derivedAttributes=[#521 deviceClassName=s|z|r selectors=[#315 tolerations=[#522
T resource.v1.DeviceSubRequest - allocationMode=s|e:All+ExactCount capacity=#520|p count=l derivedAttributes=[#521 deviceClassName=s|z|r name=s|z|r selectors=[#315 tolerations=[#522
T resource.v1.DeviceAllocationConfiguration - opaque=#430|p requests=[s source=s|z|r|e:FromClaim+FromClass
T resource.v1.DeviceRequestAllocationResult - adminAccess=b|p bindingConditions=[s bindingFailureConditions=[s consumedCapacity={q device=s|z|r driver=s|z|r pool=s|z|r request=s|z|r shareID=s|p skipNodeOperations=[s|s tolerations=[#522
T resource.v1.CapacityRequestPolicy - default=q|z|p validRange=#523|p validValues=[q
T resource.v1.NodeAllocatableMapping - capacityKey=s|p capacityMultiplier=q|p deviceMultiplier=q|p
T resource.v1.NodeAllocatableOverhead - perContainer=q|p perPod=q|p
T core.v1.NodeSelectorRequirement - key=s|z|r operator=s|z|r|e:DoesNotExist+Exists+Gt+In+Lt+NotIn values=[s
T flowcontrol.v1.GroupSubject - name=s|z|r
T flowcontrol.v1.ServiceAccountSubject - name=s|z|r namespace=s|z|r
T flowcontrol.v1.UserSubject - name=s|z|r
T flowcontrol.v1.QueuingConfiguration - handSize=i|z queueLengthLimit=i|z queues=i|z
T core.v1.ConfigMapKeySelector a key=s|z|r name=s|p optional=b|p
T core.v1.ObjectFieldSelector a apiVersion=s fieldPath=s|z|r
T core.v1.FileKeySelector a key=s|z|r optional=b|p path=s|z|r volumeName=s|z|r
T core.v1.ResourceFieldSelector a containerName=s divisor=q resource=s|z|r
T core.v1.SecretKeySelector a key=s|z|r name=s|p optional=b|p
T core.v1.SleepAction - seconds=l|z|r
T core.v1.HTTPHeader - name=s|z|r value=s|z|r
T core.v1.ClusterTrustBundleProjection - labelSelector=#145|p name=s|p optional=b|p path=s|z|r signerName=s|p user=l|p
T core.v1.ConfigMapProjection - items=[#460 name=s|p optional=b|p
T core.v1.DownwardAPIProjection - items=[#461
T core.v1.PodCertificateProjection - certificateChainPath=s credentialBundlePath=s keyPath=s keyType=s|r maxExpirationSeconds=i|p signerName=s|r user=l|p userAnnotations={s
T core.v1.SecretProjection - items=[#460 name=s|p optional=b|p
T core.v1.ServiceAccountTokenProjection - audience=s expirationSeconds=l|p path=s|z|r user=l|p
T core.v1.ImageVolumeStatus - imageRef=s|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference - name=s|z|r namespace=s|z|r path=s|p port=i|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation - description=s url=s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule - fieldPath=s message=s messageExpression=s optionalOldSelf=b|p reason=s|p|e:FieldValueDuplicate+FieldValueForbidden+FieldValueInvalid+FieldValueRequired rule=s|z|r
T resource.v1.CapacityRequirements - requests={q
T resource.v1.DeviceDerivedAttribute - expression=s|z|r name=s|z|r
T resource.v1.DeviceToleration - effect=s|e:NoExecute+NoSchedule+None key=s operator=s|e:Equal+Exists|d:"Equal" tolerationSeconds=l|p value=s
T resource.v1.CapacityRequestPolicyRange - max=q|p min=q|p|r step=q|p
)table",
};
// clang-format on

}  // namespace kcontrol::testing::detail
